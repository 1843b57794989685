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

/* A handle, not a pointer to anything: NULL, closed and made-up ones are refused. */
typedef void *AMmanagedDevice;

/*
 * The arenas of a device: sizes in bytes, addresses of the device, host pointers. An arena of size
 * 0 does not exist. The bytes of SYS and SYSc are the same; both host pointers point at them:
 *
 *     host pointer = baseAddressCPU + (device address - baseAddressSYS)
 *
 * System memory is plain memory of the client until the device is closed. The client may not write
 * what a pending submission reads or writes: the command buffer, the program, constants, inputs,
 * and the elements that points of the domain can write. Everything else it may use at any time.
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
 * Opens a device. There is one board, "/dev/pcie0"; each open gives a device of its own, with its
 * own memory. `info` is filled if it is not NULL. Returns NULL if it cannot be opened:
 * ctm_last_error() of ctm.h says why. What kind of device it is, environment variables choose
 * (ctm.h).
 */
AMmanagedDevice amOpenManagedConnection(const char *name, AMmanagedDeviceInfo *info);

/*
 * Submits the command buffer of `size` 32-bit words at an address of the device, a multiple of 4.
 * It is read later, when its turn comes: submissions are executed one after the other, in order,
 * while the client goes on. Returns an id, never 0; or 0 if the buffer is not in memory.
 */
AMuint32 amSubmitCommandBuffer(AMmanagedDevice device, AMuint32 address, AMuint32 size);

/*
 * 0 while a submission is pending. Not 0 once it is not: then all its effects are visible, and
 * ctm_last_error() says what was wrong with it, if anything was. Also not 0 for an id or a device
 * that does not exist, 0 included, so that a client that looks at no return values does not wait
 * for ever. Does not block.
 */
AMuint32 amCommandBufferConsumed(AMmanagedDevice device, AMuint32 id);

/*
 * Closes a device and frees its memory, system memory included. The running submission is stopped,
 * also within a program, and pending ones are dropped. Other threads' calls with its handle are
 * refused from now on.
 */
void amCloseManagedConnection(AMmanagedDevice device);

#ifdef __cplusplus
}
#endif

#endif
