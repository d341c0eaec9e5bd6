#pragma once
// Input is read only, and so declared.
#define ZLIB_CONST
#include <zlib.h>
