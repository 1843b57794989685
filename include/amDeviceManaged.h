/*
 * The device interface: open a device, submit command buffers, close it.
 *
 * Part of ctm, an emulator of ATI's CTM Data Parallel Processor (docs/c-api.md).
 * C99 and C++98.
 */
#ifndef AM_DEVICE_MANAGED_H
#define AM_DEVICE_MANAGED_H

#ifdef __cplusplus
extern "C" {
#endif

/* 32 bits. */
typedef unsigned int AMuint32;
typedef int AMint32;

/* A handle, not a pointer. NULL, closed and made-up handles are refused. */
typedef void *AMmanagedDevice;

/*
 * The arenas of a device: sizes in bytes, device addresses, host pointers. An arena of size 0 does
 * not exist. SYS and SYSc are the same bytes; both host pointers point to them:
 *
 *     host pointer = baseAddressCPU + (device address - baseAddressSYS)
 *
 * System memory is plain memory of the client until the device is closed. The client may not write
 * what a pending submission reads or writes: the command buffer, the program, constants, inputs,
 * and the elements that points of the domain can write. The client may use everything else at any
 * time.
 */
typedef struct AMmanagedDeviceInfo {
    AMuint32 arenaSizeGPU;
    AMuint32 arenaSizeGPUb;
    AMuint32 arenaSizeSYS;
    AMuint32 arenaSizeSYSc;
    AMuint32 baseAddressGPU;
    AMuint32 baseAddressGPUb;
    AMuint32 baseAddressSYS;
    AMuint32 baseAddressSYSc;
    void *baseAddressCPU;  /* of SYS */
    void *baseAddressCPUc; /* of SYSc */
    AMuint32 spare0;
    AMuint32 spare1;
} AMmanagedDeviceInfo;

/*
 * Opens a device. There is one board, "/dev/pcie0"; each call opens a separate device with its own
 * memory. `info` is filled if it is not NULL. Returns NULL if the device cannot be opened;
 * ctm_last_error() of ctm.h says why. Environment variables select the engine and its settings
 * (ctm.h).
 */
AMmanagedDevice amOpenManagedConnection(const char *name, AMmanagedDeviceInfo *info);

/*
 * Submits the command buffer of `size` 32-bit words at a device address, a multiple of 4. The call
 * does not wait for other submissions; it may execute a buffer that takes some microseconds, in the
 * calling thread. Submissions are executed one after the other, in order, and the device reads the
 * buffer when its turn comes. Returns an id, which is never 0, or 0 if the buffer is not in memory.
 */
AMuint32 amSubmitCommandBuffer(AMmanagedDevice device, AMuint32 address, AMuint32 size);

/*
 * Returns 0 while a submission is pending. It does not wait for the submission; but a thread that
 * asks again and again sleeps for at most a millisecond now and then. Once it returns another value, all
 * effects of the submission are visible, and ctm_last_error() has its error, if there was one. It
 * also returns not 0 for an id or a device that does not exist, including 0, so that a client that
 * ignores return values does not wait for ever.
 */
AMuint32 amCommandBufferConsumed(AMmanagedDevice device, AMuint32 id);

/*
 * Closes a device and frees its memory, including system memory. The running submission is stopped,
 * even inside a program, and pending ones are dropped. Later calls with the handle are refused, in
 * all threads.
 */
void amCloseManagedConnection(AMmanagedDevice device);

#ifdef __cplusplus
}
#endif

#endif
