// Requirements of tests.

#ifndef REQUIRE_HPP
#define REQUIRE_HPP

#include <cstdio>
#include <cstdlib>

#define REQUIRE(condition)                                                                 \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                                  \
        }                                                                                  \
    } while (false)

// Requires that a statement throws an error whose text contains another.
#define REQUIRE_ERROR(kind_of, text, ...)                                              \
    do {                                                                               \
        bool is_thrown = false;                                                        \
        try {                                                                          \
            __VA_ARGS__;                                                               \
        } catch (const firstcontact::Error &error) {                                   \
            is_thrown = true;                                                          \
            if (error.kind() != (kind_of) || !std::strstr(error.what(), text)) {       \
                std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, error.what()); \
                std::exit(1);                                                          \
            }                                                                          \
        }                                                                              \
        REQUIRE(is_thrown);                                                            \
    } while (false)

#endif  // REQUIRE_HPP
