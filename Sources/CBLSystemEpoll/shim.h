#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// The events are an enumeration and their set a number, which Swift does not mix.
static const uint32_t cblite_epoll_in = EPOLLIN;
static const uint32_t cblite_epoll_out = EPOLLOUT;
// An error or the end of both directions: told whether asked for or not.
static const uint32_t cblite_epoll_broken = EPOLLERR | EPOLLHUP;

// For `shutdown`. An optimized build of several files does not find the enumeration that it is in.
static const int32_t cblite_shut_writing = SHUT_WR;

static inline int cblite_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int cblite_eventfd_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
