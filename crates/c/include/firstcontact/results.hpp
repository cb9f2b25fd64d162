// Answers of checks.

#ifndef FIRSTCONTACT_RESULTS_HPP
#define FIRSTCONTACT_RESULTS_HPP

#include "views.hpp"

FIRSTCONTACT_BEGIN_NAMESPACE

// The answer for a motion or trajectory; its fields are described in firstcontact.h.
using Answer = FcAnswer;

// The answers of a check, in the order of the motions. Views of them are valid as long as the results.
class Results {
public:
    std::size_t size() const noexcept { return answers_.size(); }
    // Answer i, which must exist.
    const Answer &operator[](std::size_t i) const noexcept { return answers_[i]; }
    Sequence<Answer>::Iterator begin() const noexcept { return answers_.begin(); }
    Sequence<Answer>::Iterator end() const noexcept { return answers_.end(); }

    // Counts and times.
    const FcStats &stats() const noexcept { return *stats_; }
    // Returns whether all are certainly free.
    bool all_free() const noexcept { return stats_->free == stats_->motions; }

    // All contacts of answer i that begin at the time of the first one; the first one alone unless all were requested.
    Result<Sequence<FcContact>> contacts(std::size_t i) const {
        FcContacts view{};
        const FcStatus status = fc_results_contacts(get(), i, &view);
        return detail::finish(status, Sequence<FcContact>(view.data, view.length, view.stride_bytes));
    }

    // Answer i as a line of JSON, as the command line writes it, for a motion with this number.
    Result<std::string> line(std::size_t i, std::uint64_t number) const {
        FcText text{"", 0};
        const FcStatus status = fc_results_line(get(), i, number, &text);
        return detail::finish(status, std::string(text.data, text.length));
    }

    // Writes all answers as lines of JSON to a file, atomically; the motions are numbered from first.
    Result<Done> write(const std::string &file, std::uint64_t first = 0) const {
        return detail::finish(fc_results_write(get(), file.c_str(), first));
    }

    // Writes proofs of all answers, which firstcontact verify checks, and returns the number of answers without one.
    // For engines with Options::certificates.
    Result<std::uint64_t> write_certificates(const std::string &file, const Progress &progress = {}) const {
        detail::Control control(progress);
        std::uint64_t n_without = 0;
        const FcStatus status = fc_results_write_certificates(get(), file.c_str(), control.get(), &n_without);
        control.rethrow();
        return detail::finish(status, n_without);
    }

    const FcResults *get() const noexcept { return handle_.get(); }

private:
    friend class Engine;

    Results() = default;

    // The results that a call makes; exceptions of its callbacks are thrown after it.
    template <class Make>
    static Result<Results> made(const detail::Control &control, Make make) {
        Results results;
        FcStatus status = make(results.handle_.out());
        control.rethrow();
        FcAnswers view{};
        if (status == FC_OK) {
            status = fc_results_answers(results.get(), &view);
        }
        if (status == FC_OK) {
            status = fc_results_stats(results.get(), &results.stats_);
        }
        results.answers_ = Sequence<Answer>(view.data, view.length, view.stride_bytes);
        return detail::finish(status, std::move(results));
    }

    detail::Handle<FcResults, fc_results_free> handle_;
    Sequence<Answer> answers_;
    const FcStats *stats_ = nullptr;
};

// Clearances of trajectories, in their order.
class Clearances {
public:
    std::size_t size() const noexcept { return all_.size(); }
    // Clearance i, which must exist.
    const FcClearance &operator[](std::size_t i) const noexcept { return all_[i]; }
    Sequence<FcClearance>::Iterator begin() const noexcept { return all_.begin(); }
    Sequence<FcClearance>::Iterator end() const noexcept { return all_.end(); }

private:
    friend class Engine;

    Clearances() = default;

    detail::Handle<FcClearanceResults, fc_clearance_results_free> handle_;
    Sequence<FcClearance> all_;
};

FIRSTCONTACT_END_NAMESPACE

#endif  // FIRSTCONTACT_RESULTS_HPP
