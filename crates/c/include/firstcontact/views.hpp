// Views of arrays of the caller, and sequences of structures of the library. Nothing is copied unless it is documented.

#ifndef FIRSTCONTACT_VIEWS_HPP
#define FIRSTCONTACT_VIEWS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>

#include "error.hpp"

FIRSTCONTACT_BEGIN_NAMESPACE

namespace detail {

template <class M>
using Scalar = std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<const M &>().data())>>;

// True for types that are matrices in memory, as those of Eigen: with data(), rows(), cols(), rowStride(), colStride().
template <class M, class = void>
struct IsMatrix : std::false_type {};
template <class M>
struct IsMatrix<M, std::void_t<decltype(std::declval<const M &>().rows() + std::declval<const M &>().cols() +
                                        std::declval<const M &>().rowStride() + std::declval<const M &>().colStride()),
                               Scalar<M>>> : std::true_type {};

template <class M>
using IfNumbers = std::enable_if_t<IsMatrix<M>::value && std::is_same_v<Scalar<M>, double>>;
template <class M>
using IfIndices =
    std::enable_if_t<IsMatrix<M>::value && std::is_integral_v<Scalar<M>> && sizeof(Scalar<M>) == sizeof(std::uint32_t)>;

inline std::size_t size_of(std::ptrdiff_t n) {
    return n < 0 ? 0 : static_cast<std::size_t>(n);
}

}  // namespace detail

// Rows of numbers: configurations, or vertices with the columns x y z. Row i, column j is at
// data[i * row_stride + j * column_stride]. Matrices of Eigen have a configuration in each row.
class Rows {
public:
    Rows() : Rows(nullptr, 0, 0) {}
    Rows(const double *data, std::size_t n_rows, std::size_t n_columns) : view_(fc_rows(data, n_rows, n_columns)) {}
    Rows(const double *data, std::size_t n_rows, std::size_t n_columns, std::ptrdiff_t row_stride,
         std::ptrdiff_t column_stride)
        : view_{data, n_rows, n_columns, row_stride, column_stride} {}
    explicit Rows(const FcRows &view) : view_(view) {}
    template <std::size_t N>
    Rows(const std::vector<std::array<double, N>> &rows)
        : Rows(rows.empty() ? nullptr : rows.front().data(), rows.size(), N) {}
    template <class M, class = detail::IfNumbers<M>>
    Rows(const M &matrix)
        : Rows(matrix.data(), detail::size_of(matrix.rows()), detail::size_of(matrix.cols()), matrix.rowStride(),
               matrix.colStride()) {}
    // Copies the numbers. If the rows differ in length, every function rejects the array.
    Rows(const std::vector<std::vector<double>> &rows) : Rows() { copy(rows); }
    Rows(std::initializer_list<std::initializer_list<double>> rows) : Rows() { copy(rows); }
    Rows(const Rows &other) : view_(other.view_), copy_(other.copy_) { own(); }
    Rows(Rows &&other) noexcept : view_(other.view_), copy_(std::move(other.copy_)) { own(); }
    Rows &operator=(Rows other) noexcept {
        view_ = other.view_;
        copy_ = std::move(other.copy_);
        own();
        return *this;
    }

    // One configuration, n times.
    static Rows repeated(const double *data, std::size_t n_columns, std::size_t n) {
        return {data, n, n_columns, 0, 1};
    }

    const FcRows *get() const noexcept { return &view_; }
    std::size_t n_rows() const noexcept { return view_.n_rows; }
    std::size_t n_columns() const noexcept { return view_.n_columns; }
    // Number j of row i.
    double operator()(std::size_t i, std::size_t j) const noexcept {
        return view_.data[static_cast<std::ptrdiff_t>(i) * view_.row_stride +
                          static_cast<std::ptrdiff_t>(j) * view_.column_stride];
    }

private:
    template <class List>
    void copy(const List &rows) {
        const std::size_t n_columns = rows.size() == 0 ? 0 : rows.begin()->size();
        for (const auto &row : rows) {
            copy_.insert(copy_.end(), row.begin(), row.end());
            if (row.size() != n_columns) {
                // Null data with rows is an error.
                view_ = fc_rows(nullptr, rows.size(), n_columns + 1);
                copy_.clear();
                return;
            }
        }
        view_ = fc_rows(copy_.data(), rows.size(), n_columns);
    }

    void own() noexcept {
        if (!copy_.empty()) {
            view_.data = copy_.data();
        }
    }

    FcRows view_;
    std::vector<double> copy_;
};

// Rows of indices: edges of a roadmap (two columns) or triangles (three columns).
class Indices {
public:
    Indices() : Indices(nullptr, 0, 0) {}
    Indices(const std::uint32_t *data, std::size_t n_rows, std::size_t n_columns)
        : view_(fc_indices(data, n_rows, n_columns)) {}
    Indices(const std::uint32_t *data, std::size_t n_rows, std::size_t n_columns, std::ptrdiff_t row_stride,
            std::ptrdiff_t column_stride)
        : view_{data, n_rows, n_columns, row_stride, column_stride} {}
    template <std::size_t N>
    Indices(const std::vector<std::array<std::uint32_t, N>> &rows)
        : Indices(rows.empty() ? nullptr : rows.front().data(), rows.size(), N) {}
    // Indices of 32 bits, signed or unsigned; negative indices are rejected.
    template <class M, class = detail::IfIndices<M>>
    Indices(const M &matrix)
        : Indices(reinterpret_cast<const std::uint32_t *>(matrix.data()), detail::size_of(matrix.rows()),
                  detail::size_of(matrix.cols()), matrix.rowStride(), matrix.colStride()) {}

    const FcIndices *get() const noexcept { return &view_; }
    std::size_t n_rows() const noexcept { return view_.n_rows; }

private:
    FcIndices view_;
};

// One row of numbers: a configuration, times, or tolerances. A row of a matrix that has gaps is copied.
class Row {
public:
    Row() = default;
    Row(const double *data, std::size_t size) : data_(data), size_(size) {}
    Row(const std::vector<double> &row) : Row(row.data(), row.size()) {}
    template <std::size_t N>
    Row(const std::array<double, N> &row) : Row(row.data(), N) {}
    template <std::size_t N>
    Row(const double (&row)[N]) : Row(row, N) {}
    // Copies.
    Row(std::initializer_list<double> row) : size_(row.size()), copy_(row) { data_ = copy_.data(); }
    // A matrix with several rows and columns is not a row: the view then has no data, and every function rejects it.
    template <class M, class = detail::IfNumbers<M>>
    Row(const M &vector) : Row(vector.data(), detail::size_of(vector.size())) {
        if (vector.rows() > 1 && vector.cols() > 1) {
            data_ = nullptr;
            return;
        }
        const std::ptrdiff_t stride = vector.cols() == 1 ? vector.rowStride() : vector.colStride();
        if (stride != 1 && size_ > 1) {
            for (std::size_t i = 0; i < size_; i++) {
                copy_.push_back(data_[static_cast<std::ptrdiff_t>(i) * stride]);
            }
            data_ = copy_.data();
        }
    }
    Row(const Row &) = delete;
    Row &operator=(const Row &) = delete;

    const double *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }

private:
    const double *data_ = nullptr;
    std::size_t size_ = 0;
    std::vector<double> copy_;
};

// The pose of a frame: the rows of a 3×4 matrix. Transforms of Eigen become poses, and `pose.as<Eigen::Isometry3d>()`
// is one again.
class Pose {
public:
    // The identity.
    Pose() : numbers_{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0} {}
    explicit Pose(const double *twelve) { std::copy(twelve, twelve + 12, numbers_.begin()); }
    template <class T, class = decltype(std::declval<const T &>().matrix()(0, 3))>
    Pose(const T &transform) {
        for (int i = 0; i < 12; i++) {
            numbers_[static_cast<std::size_t>(i)] = transform.matrix()(i / 4, i % 4);
        }
    }

    static Pose translation(double x, double y, double z) {
        Pose pose;
        pose.numbers_[3] = x;
        pose.numbers_[7] = y;
        pose.numbers_[11] = z;
        return pose;
    }

    template <class T>
    T as() const {
        T transform = T::Identity();
        for (int i = 0; i < 12; i++) {
            transform.matrix()(i / 4, i % 4) = numbers_[static_cast<std::size_t>(i)];
        }
        return transform;
    }

    const double *data() const noexcept { return numbers_.data(); }
    double operator()(std::size_t i, std::size_t j) const noexcept { return numbers_[4 * i + j]; }

private:
    std::array<double, 12> numbers_{};
};

// A sequence of structures of the library, which may be larger than this header knows.
template <class T>
class Sequence {
public:
    class Iterator {
    public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T *;
        using reference = const T &;

        Iterator() = default;
        Iterator(const char *at, std::size_t stride_bytes) : at_(at), stride_bytes_(stride_bytes) {}
        reference operator*() const noexcept { return *reinterpret_cast<pointer>(at_); }
        pointer operator->() const noexcept { return reinterpret_cast<pointer>(at_); }
        Iterator &operator++() noexcept {
            at_ += stride_bytes_;
            return *this;
        }
        Iterator operator++(int) noexcept {
            Iterator before = *this;
            ++*this;
            return before;
        }
        bool operator==(const Iterator &other) const noexcept { return at_ == other.at_; }
        bool operator!=(const Iterator &other) const noexcept { return at_ != other.at_; }

    private:
        const char *at_ = nullptr;
        std::size_t stride_bytes_ = 0;
    };

    Sequence() = default;
    Sequence(const T *data, std::size_t size, std::size_t stride_bytes)
        : data_(reinterpret_cast<const char *>(data)), size_(size), stride_bytes_(stride_bytes) {}

    std::size_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    // Number i, which must exist.
    const T &operator[](std::size_t i) const noexcept {
        return *reinterpret_cast<const T *>(data_ + i * stride_bytes_);
    }
    Iterator begin() const noexcept { return {data_, stride_bytes_}; }
    Iterator end() const noexcept { return {size_ == 0 ? data_ : data_ + size_ * stride_bytes_, stride_bytes_}; }

private:
    const char *data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t stride_bytes_ = 0;
};

FIRSTCONTACT_END_NAMESPACE

#endif  // FIRSTCONTACT_VIEWS_HPP
