# SPDX-License-Identifier: BSD-3-Clause
# Writes the git state of the sources into a header, at each build and only when it changed: cmake -DSOURCE=.. -DHEADER=..
# -P git.cmake. Work that is not committed is told apart by a hash of what it changes. Empty where there is no git.
execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE state OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(state MATCHES "-dirty$")
  execute_process(COMMAND git diff HEAD -- platforms workloads gates model validation sim CMakeLists.txt
    WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE changes ERROR_QUIET)
  string(SHA256 hash "${changes}")
  string(SUBSTRING ${hash} 0 8 hash)
  set(state "${state}-${hash}")
endif()
set(text "#define MOESIM_GIT \"${state}\"\n")
set(before "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT before STREQUAL text)
  file(WRITE ${HEADER} "${text}")
endif()
