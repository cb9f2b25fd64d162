// Elementary queries in batches.

#ifndef FIRSTCONTACT_ELEMENTARY_HPP
#define FIRSTCONTACT_ELEMENTARY_HPP

#include "views.hpp"

FIRSTCONTACT_BEGIN_NAMESPACE

// Answers elementary queries, FC_VERTEX_FACE or FC_EDGE_EDGE: four points that move linearly. Row i of the starts and
// the ends has the coordinates of the points of query i, x y z of each.
inline Result<std::vector<FcElementaryAnswer>> elementary(FcElementaryKind kind, const Rows &starts, const Rows &ends,
                                                          double tolerance = 1e-9, double margin_m = 0.0,
                                                          const Progress &progress = {}) {
    detail::Control control(progress);
    std::vector<FcElementaryAnswer> answers(starts.n_rows());
    const FcStatus status = fc_elementary(kind, starts.get(), ends.get(), tolerance, margin_m, control.get(),
                                          answers.data(), sizeof(FcElementaryAnswer));
    control.rethrow();
    return detail::finish(status, std::move(answers));
}

FIRSTCONTACT_END_NAMESPACE

#endif  // FIRSTCONTACT_ELEMENTARY_HPP
