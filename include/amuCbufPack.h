/*
 * The packer of command buffers: one function for each command.
 *
 * Part of ctm, an emulator of ATI's CTM Data Parallel Processor (docs/c-api.md).
 * C++98, header only.
 */
#ifndef AMU_CBUF_PACK_H
#define AMU_CBUF_PACK_H

#include "amuCbufTypes.h"

/*
 * Writes commands to the client's buffer, one after the other.
 *
 * Values are truncated to the bits of their field. The packer does not check them; the device does
 * when the buffer is submitted. If a command does not fit, the packer writes nothing more and sets
 * the buffer's first word to 0, which is not a command. getCommandBufferSize() continues to count
 * and is then greater than the buffer. A submission of such a buffer ends with an error before it
 * has any effect.
 */
class AMUcbufPack {
public:
    AMUcbufPack(unsigned int *buffer, unsigned int words)
        : buffer_(buffer), capacity_(words), size_(0) {}

    /* Words of all commands so far. */
    unsigned int getCommandBufferSize() const { return size_; }

    /* Surfaces: `width` is the pitch in elements, rounded up to a multiple of 4. */
    void appendSetInpFmt(unsigned int index, unsigned int address, unsigned int format,
                         unsigned int tiling, unsigned int width, unsigned int height) {
        put(AMU_CBUF_SET_INP_FMT, 4, index, address, layout(format, tiling, width), height);
    }
    void appendSetOutFmt(unsigned int index, unsigned int address, unsigned int format,
                         unsigned int tiling, unsigned int width, unsigned int height) {
        put(AMU_CBUF_SET_OUT_FMT, 4, index, address, layout(format, tiling, width), height);
    }
    void appendSetCondOutFmt(unsigned int address, unsigned int format, unsigned int tiling,
                             unsigned int width, unsigned int height) {
        put(AMU_CBUF_SET_COND_OUT_FMT, 3, address, layout(format, tiling, width), height);
    }

    /* Program and constants. All zero after the address means packed, the usual layout. */
    void appendSetInstFmt(unsigned int address, unsigned int format, unsigned int tiling,
                          unsigned int width) {
        put(AMU_CBUF_SET_INST_FMT, 2, address, layout(format, tiling, width));
    }
    void appendSetConstfFmt(unsigned int address, unsigned int format, unsigned int tiling,
                            unsigned int width) {
        put(AMU_CBUF_SET_CONSTF_FMT, 2, address, layout(format, tiling, width));
    }
    void appendSetConstiFmt(unsigned int address, unsigned int format, unsigned int tiling,
                            unsigned int width) {
        put(AMU_CBUF_SET_CONSTI_FMT, 2, address, layout(format, tiling, width));
    }
    void appendSetConstbFmt(unsigned int address, unsigned int format, unsigned int tiling,
                            unsigned int width) {
        put(AMU_CBUF_SET_CONSTB_FMT, 2, address, layout(format, tiling, width));
    }
    /* The address of three vertices, each of 32 floats. */
    void appendSetParams(unsigned int address) { put(AMU_CBUF_SET_PARAMS, 1, address); }
    /* An extension: the shared registers (SQ_GPR_RESOURCE) and the number of SIMDs. */
    void appendSetShared(unsigned int resource, unsigned int simds)
    {
        put(AMU_CBUF_SET_SHARED, 2, resource, simds);
    }

    /* The domain's first and last column and row, inclusive. */
    void appendSetDomain(unsigned int x0, unsigned int y0, unsigned int x1, unsigned int y1) {
        put(AMU_CBUF_SET_DOMAIN, 4, x0 & 0xfffu, y0 & 0xfffu, x1 & 0xfffu, y1 & 0xfffu);
    }
    void appendStartProgram() { put(AMU_CBUF_START_PROGRAM, 1); }
    void appendWaitForIdle() { put(AMU_CBUF_WAIT_FOR_IDLE, 1); }

    void appendInvInstCache() { put(AMU_CBUF_INV_INST_CACHE, 1); }
    void appendInvConstfCache() { put(AMU_CBUF_INV_CONSTF_CACHE, 1); }
    void appendInvConstiCache() { put(AMU_CBUF_INV_CONSTI_CACHE, 1); }
    void appendInvConstbCache() { put(AMU_CBUF_INV_CONSTB_CACHE, 1); }
    void appendInvCondOutCache() { put(AMU_CBUF_INV_COND_OUT_CACHE, 1); }
    void appendInvInpCache() { put(AMU_CBUF_INV_INP_CACHE, 1); }
    void appendFlushOutCache() { put(AMU_CBUF_FLUSH_OUT_CACHE, 1); }
    void appendFlushCondOutCache() { put(AMU_CBUF_FLUSH_COND_OUT_CACHE, 1); }

    /* Bit n enables writes to channel n of the outputs. */
    void appendSetOutMask(unsigned int mask) { put(AMU_CBUF_SET_OUT_MASK, 1, mask & 15u); }
    /* 1 enables writes to the conditional buffer. */
    void appendSetCondOutMask(unsigned int mask) {
        put(AMU_CBUF_SET_COND_OUT_MASK, 1, mask & 1u);
    }
    /* AMUcbufFldCondTest. */
    void appendSetCondTest(unsigned int test) { put(AMU_CBUF_SET_COND_TEST, 1, test & 7u); }
    /* AMUcbufFldCondLoc. */
    void appendSetCondLoc(unsigned int location) {
        put(AMU_CBUF_SET_COND_LOC, 1, location & 1u);
    }
    /* The value's 32 bits. */
    void appendSetCondVal(unsigned int value) { put(AMU_CBUF_SET_COND_VAL, 1, value); }

    /* 1 enables the performance counters, 0 disables them. */
    void appendInitPerfCounters(unsigned int flags) {
        put(AMU_CBUF_INIT_PERF_COUNTERS, 1, flags & 1u);
    }
    void appendStartPerfCounters() { put(AMU_CBUF_START_PERF_COUNTERS, 1); }
    void appendStopPerfCounters() { put(AMU_CBUF_STOP_PERF_COUNTERS, 1); }
    /* The device writes two words at the address: all clocks, active clocks. */
    void appendReadPerfCounters(unsigned int address) {
        put(AMU_CBUF_READ_PERF_COUNTERS, 1, address);
    }

private:
    static unsigned int layout(unsigned int format, unsigned int tiling, unsigned int width) {
        return AMU_CBUF_FORMAT(format, tiling, width + 3u);
    }

    void put(unsigned int word, unsigned int count, unsigned int a = 0, unsigned int b = 0,
             unsigned int c = 0, unsigned int d = 0) {
        const unsigned int words[5] = {word, a, b, c, d};
        const unsigned int all = count + 1u;
        if (size_ <= capacity_ && capacity_ - size_ >= all) {
            for (unsigned int n = 0; n < all; n++) buffer_[size_ + n] = words[n];
            size_ += all;
            return;
        }
        if (capacity_ != 0) buffer_[0] = 0;
        /* From now on the size is greater than the capacity. */
        size_ = (size_ > capacity_ ? size_ : capacity_) + all;
    }

    unsigned int *buffer_;
    unsigned int capacity_;
    unsigned int size_;
};

#endif
