#pragma once
#include <nettle/sha1.h>
