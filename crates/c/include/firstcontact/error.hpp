// Errors, and results that are a value or an error.

#ifndef FIRSTCONTACT_ERROR_HPP
#define FIRSTCONTACT_ERROR_HPP

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../firstcontact.h"

#if !defined(FIRSTCONTACT_NO_EXCEPTIONS) && !defined(__cpp_exceptions)
#define FIRSTCONTACT_NO_EXCEPTIONS
#endif

// A program may link parts that throw and parts that do not: they use functions of different names.
#ifdef FIRSTCONTACT_NO_EXCEPTIONS
#define FIRSTCONTACT_BEGIN_NAMESPACE \
    namespace firstcontact {         \
    inline namespace expecting {
#else
#define FIRSTCONTACT_BEGIN_NAMESPACE \
    namespace firstcontact {         \
    inline namespace throwing {
#endif
#define FIRSTCONTACT_END_NAMESPACE \
    }                              \
    }

FIRSTCONTACT_BEGIN_NAMESPACE

// An error: its text has file, place, message and remedy on one line.
class Error : public std::runtime_error {
public:
    Error(FcStatus kind, const std::string &message) : std::runtime_error(message), kind_(kind) {}

    // The last error of this thread.
    static Error last(FcStatus kind) {
        Error error(kind, fc_error_message());
        auto text = [](const char *of) { return std::string(of ? of : ""); };
        error.file_ = text(fc_error_file());
        error.place_ = text(fc_error_place());
        error.remedy_ = text(fc_error_remedy());
        return error;
    }

    // The kind: FC_USAGE, FC_INPUT and so on.
    FcStatus kind() const noexcept { return kind_; }
    // The file that it is about, or empty.
    const std::string &file() const noexcept { return file_; }
    // The place in the file or in the call, such as a line or a motion, or empty.
    const std::string &place() const noexcept { return place_; }
    // A remedy, or empty.
    const std::string &remedy() const noexcept { return remedy_; }

private:
    FcStatus kind_;
    std::string file_, place_, remedy_;
};

// A value or an error.
template <class T>
class [[nodiscard]] Expected {
public:
    Expected(T value) : value_(std::move(value)) {}
    Expected(Error error) : error_(std::move(error)) {}

    bool has_value() const noexcept { return value_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    // The value; without one, the program ends with the message of the error.
    T &value() & { return checked(), *value_; }
    const T &value() const & { return checked(), *value_; }
    T &&value() && { return checked(), std::move(*value_); }
    T &operator*() & { return value(); }
    const T &operator*() const & { return value(); }
    T &&operator*() && { return std::move(*this).value(); }
    T *operator->() { return &value(); }
    const T *operator->() const { return &value(); }
    // The error; there is one if there is no value.
    const Error &error() const { return *error_; }

private:
    void checked() const {
        if (!value_) {
            std::fprintf(stderr, "firstcontact: %s\n", error_->what());
            std::abort();
        }
    }

    std::optional<T> value_;
    std::optional<Error> error_;
};

// The value of functions that return nothing.
struct Done {};

#ifdef FIRSTCONTACT_NO_EXCEPTIONS
template <class T>
using Result = Expected<T>;
#else
template <class T>
using Result = T;
#endif

// Receives the number of answers so far and their total number; returns whether to continue.
using Progress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

namespace detail {

template <class T>
Result<T> fail(Error error) {
#ifdef FIRSTCONTACT_NO_EXCEPTIONS
    return Result<T>(std::move(error));
#else
    throw error;
#endif
}

// The value, if a call was successful.
template <class T>
Result<T> finish(FcStatus status, T value) {
    return status == FC_OK ? Result<T>(std::move(value)) : fail<T>(Error::last(status));
}

inline Result<Done> finish(FcStatus status) {
    return finish(status, Done{});
}

// The error if the interface of the loaded library differs from that of this header.
inline std::optional<Error> wrong_version() {
    if (fc_is_compatible(FC_VERSION_MAJOR, FC_VERSION_MINOR)) {
        return std::nullopt;
    }
    const auto of = [](std::uint32_t major, std::uint32_t minor) {
        return std::to_string(major) + "." + std::to_string(minor);
    };
    const std::uint32_t runs = fc_version();
    return Error(FC_USAGE, "the library is version " + of(runs / 1000000, runs / 1000 % 1000) + ", the header " +
                               of(FC_VERSION_MAJOR, FC_VERSION_MINOR) + " (install both from the same release)");
}

// A function of the caller's, called by the library: an exception waits until the library has returned.
template <class Function>
class Callback {
public:
    explicit Callback(Function &function) : function_(function) {}

    // The answer, or `otherwise` if there was an exception.
    template <class... Arguments>
    int call(int otherwise, Arguments &&...arguments) noexcept {
#ifdef FIRSTCONTACT_NO_EXCEPTIONS
        static_cast<void>(otherwise);
        return function_(std::forward<Arguments>(arguments)...);
#else
        try {
            return function_(std::forward<Arguments>(arguments)...);
        } catch (...) {
            thrown_ = std::current_exception();
            return otherwise;
        }
#endif
    }

    void rethrow() const {
#ifndef FIRSTCONTACT_NO_EXCEPTIONS
        if (thrown_) {
            std::rethrow_exception(thrown_);
        }
#endif
    }

private:
    Function &function_;
#ifndef FIRSTCONTACT_NO_EXCEPTIONS
    std::exception_ptr thrown_;
#endif
};

// Progress for a call; `none` if there is no function.
class Control {
public:
    explicit Control(const Progress &progress)
        : report_([&progress](std::uint64_t done, std::uint64_t total) { return progress(done, total) ? 0 : 1; }),
          callback_(report_),
          control_{&Control::called, this},
          is_there_(static_cast<bool>(progress)) {}
    Control(const Control &) = delete;
    Control &operator=(const Control &) = delete;

    const FcControl *get() const noexcept { return is_there_ ? &control_ : nullptr; }
    void rethrow() const { callback_.rethrow(); }

private:
    using Report = std::function<int(std::uint64_t, std::uint64_t)>;

    static std::int32_t called(void *self, std::uint64_t done, std::uint64_t total) noexcept {
        return static_cast<Control *>(self)->callback_.call(1, done, total);
    }

    Report report_;
    Callback<Report> callback_;
    FcControl control_;
    bool is_there_;
};

// Owns a handle.
template <class T, FcStatus (*Free)(T *)>
class Handle {
public:
    Handle() = default;
    Handle(Handle &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Handle &operator=(Handle &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Handle() { Free(handle_); }

    T *get() const noexcept { return handle_; }
    // The place for a new handle.
    T **out() noexcept { return &handle_; }
    // Releases the handle without freeing its object.
    T *release() noexcept { return std::exchange(handle_, nullptr); }

private:
    T *handle_ = nullptr;
};

// The texts that a function lists by index.
template <class Get>
std::vector<std::string> all_texts(Get get) {
    std::vector<std::string> all;
    const char *text = nullptr;
    while (get(all.size(), &text) == FC_OK) {
        all.emplace_back(text);
    }
    return all;
}

// A text of the caller that may be missing.
inline const char *or_null(const std::string &text) {
    return text.empty() ? nullptr : text.c_str();
}

}  // namespace detail

FIRSTCONTACT_END_NAMESPACE

#endif  // FIRSTCONTACT_ERROR_HPP
