// The memory controller: address translation, wrapping, formats, bindings. Twin of crates/machine/src/memory.
//
// Needs float.wgsl before it (x1k_from_unorm8, x1k_from_unorm16, x1k_unorm8, x1k_unorm16) and the
// variant's constants. A variant may only drop what no surface of the dispatch needs:
//   COPIES       bool  some reads are from copies
//   TILED        bool  some surface is tiled
//   SUPERFINE    bool  some input has a 2x2 tiling
//   REPEAT       bool  some input repeats
//   INTEGERS     bool  some surface is in fixed point
//   READ_WORDS   u32   words of the largest element that is fetched: 1, 2 or 4
//   WRITE_WORDS  u32   words of the largest element that is written: 1, 2 or 4
//
// Values are 32-bit patterns; integers wrap. Code branches only on conditions that are the same for
// all points of a launch, because some drivers execute both sides anyway.

// Format codes [G 14]; 5 to 8 are formats of later SDKs.
const MEM_UINT16_1: u32 = 0u;
const MEM_UINT8_4: u32 = 1u;
const MEM_FLOAT32_1: u32 = 2u;
const MEM_FLOAT32_2: u32 = 3u;
const MEM_FLOAT32_4: u32 = 4u;
const MEM_UINT8_1: u32 = 5u;
const MEM_UINT8_2: u32 = 6u;
const MEM_UINT16_2: u32 = 7u;
const MEM_UINT16_4: u32 = 8u;

// Bit n: format n has channels of 8, of 16 bits.
const MEM_UNORM8: u32 = 0x62u;
const MEM_UNORM16: u32 = 0x181u;

// Surface.bits: the format code is in bits 3:0.
const MEM_FORMAT: u32 = 0xfu;
const MEM_TILED: u32 = 0x10u;
const MEM_INP_2X2: u32 = 0x20u;
const MEM_REPEAT: u32 = 0x40u;
const MEM_PRESENT: u32 = 0x80000000u;

// log2 of an element's bytes, and its channels: three bits per format code.
const MEM_BYTES_LOG2: u32 = 0x3444691u;
const MEM_CHANNELS: u32 = 0x448c461u;

// 1.0, the value of a missing fourth channel.
const MEM_ONE: u32 = 0x3f800000u;

// A two-dimensional array of elements; crates/shade/src/abi/surface.rs writes it.
struct Surface {
    base: u32,
    pitch: u32,
    width: u32,
    height: u32,
    bits: u32,
    // The word of byte address a is word (a >> 2) - delta of what is bound, modulo 2^32.
    delta: u32,
    pad0: u32,
    pad1: u32,
}

// Up to three ranges of memory: first and last byte, inclusive; (1, 0) is empty.
alias MemRanges = array<vec2<u32>, 3>;

// The result of a fetch. `address` is valid only if `outside` is true.
struct MemFetch {
    texel: vec4<u32>,
    outside: bool,
    address: u32,
}

// An element to write: its words, and a mask of the bits to write in each. An element smaller than a
// word is in the low bits of the first one.
struct MemElement {
    words: vec4<u32>,
    masks: vec4<u32>,
}

// All bytes that a dispatch can touch: the words of memory, then those of copies, which are only read.
// Each binding has at least four words.
@group(0) @binding(3) var<storage, read_write> window0: array<u32>;
@group(0) @binding(4) var<storage, read_write> window1: array<u32>;

// ---- crates/machine/src/memory/translate.rs

// Address of element (x, y) in linear layout, elements of 1 << log2 bytes [G 5].
fn mem_linear(log2: u32, base: u32, pitch: u32, x: u32, y: u32) -> u32 {
    let n = 5u - log2;
    let cx = x & 0xfffu;
    let cy = y & 0xfffu;
    let word = cy * ((pitch & 0x3fffu) >> n) + (cx >> n) + (base >> 5u);
    return (word << 5u) | ((cx & ((1u << n) - 1u)) << log2);
}

// Address of element (x, y) in tiled layout, elements of 1 << log2 bytes [G 6].
fn mem_tiled(log2: u32, base: u32, pitch: u32, x: u32, y: u32) -> u32 {
    let tw = 6u - ((log2 + 1u) >> 1u);
    let th = 11u - log2 - tw;
    let cx = x & 0xfffu;
    let cy = y & 0xfffu;
    let tile = (cy >> th) * ((pitch & 0x3fffu) >> tw) + (cx >> tw) + (base >> 11u);
    let row = cy >> (th - 3u);
    let column = cx >> (tw - 3u);
    let odd = (row & 7u) ^ ((column >> 1u) & 6u);
    let even = (column & 7u) ^ ((row >> 1u) & 6u);
    let low_y = cy & ((1u << (th - 3u)) - 1u);
    let low_x = cx & ((1u << (tw - 3u)) - 1u);
    let low = (low_y << (tw - 3u)) | low_x;
    return (tile << 11u) | (mem_spread(odd) << 6u) | (mem_spread(even) << 5u) | (low << log2);
}

// Bits 2, 1, 0 to bits 4, 2, 0.
fn mem_spread(v: u32) -> u32 {
    return (v & 1u) | ((v & 2u) << 1u) | ((v & 4u) << 2u);
}

// ---- crates/machine/src/memory/surface.rs

// log2 of an element's bytes.
fn mem_bytes_log2(bits: u32) -> u32 {
    return (MEM_BYTES_LOG2 >> ((bits & MEM_FORMAT) * 3u)) & 7u;
}

// Byte address of element (x, y), modulo 2^32. Only the low 12 bits of x and y count.
fn mem_address(surface: Surface, x: u32, y: u32) -> u32 {
    let log2 = mem_bytes_log2(surface.bits);
    let linear = mem_linear(log2, surface.base, surface.pitch, x, y);
    if TILED {
        let tiled = mem_tiled(log2, surface.base, surface.pitch, x, y);
        return select(linear, tiled, (surface.bits & MEM_TILED) != 0u);
    }
    return linear;
}

// Whether a write to (x, y) is inside [0, pitch) x [0, height).
fn mem_is_writable(surface: Surface, x: u32, y: u32) -> bool {
    return (x < surface.pitch) & (y < surface.height);
}

// ---- crates/machine/src/memory/arena.rs

fn mem_in_range(range: vec2<u32>, address: u32, last: u32) -> bool {
    return (address >= range.x) & (last <= range.y) & (address <= last);
}

// Whether `len` bytes (1 or more) from `address` are all inside one range.
fn mem_contains(ranges: MemRanges, address: u32, len: u32) -> bool {
    let last = address + (len - 1u);
    return mem_in_range(ranges[0], address, last)
        | mem_in_range(ranges[1], address, last)
        | mem_in_range(ranges[2], address, last);
}

// Reads word g of what is bound. It must exist.
fn mem_load_word(g: u32) -> u32 {
    if COPIES {
        let n0 = arrayLength(&window0);
        if g >= n0 {
            return window1[g - n0];
        }
    }
    return window0[g];
}

// Writes word g of memory. It must exist.
fn mem_store_word(g: u32, v: u32) {
    window0[g] = v;
}

// ---- crates/machine/src/memory/format.rs

// Words 0 to `count` - 1 of the element whose first word is g. The remaining words are 0.
fn mem_load_words(g: u32, count: u32) -> vec4<u32> {
    var words = vec4<u32>(mem_load_word(g), 0u, 0u, 0u);
    if READ_WORDS > 1u {
        if count > 1u {
            words.y = mem_load_word(g + 1u);
        }
    }
    if READ_WORDS > 2u {
        if count > 2u {
            words.z = mem_load_word(g + 2u);
            words.w = mem_load_word(g + 3u);
        }
    }
    return words;
}

// The channels of an element, as float bits. Channels that the format lacks read 0, 0, 1. The words
// after the element's end must be 0. An element smaller than a word is in the low bits of word 0.
fn mem_decode(format: u32, words: vec4<u32>) -> vec4<u32> {
    var texel = words;
    if READ_WORDS > 2u {
        texel.w = select(MEM_ONE, words.w, format == MEM_FLOAT32_4);
    } else {
        texel.w = MEM_ONE;
    }
    if INTEGERS {
        var units: vec4<u32>;
        if ((MEM_UNORM16 >> format) & 1u) != 0u {
            units = vec4<u32>(words.x, words.x >> 16u, words.y, words.y >> 16u);
            units = vec4<u32>(
                x1k_from_unorm16(units.x & 0xffffu),
                x1k_from_unorm16(units.y),
                x1k_from_unorm16(units.z & 0xffffu),
                x1k_from_unorm16(units.w),
            );
        } else {
            units = (words.xxxx >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
            units = select(units, units.zyxw, vec4<bool>(format == MEM_UINT8_4));
            units = vec4<u32>(
                x1k_from_unorm8(units.x),
                x1k_from_unorm8(units.y),
                x1k_from_unorm8(units.z),
                x1k_from_unorm8(units.w),
            );
        }
        let stored = vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(mem_channels(format));
        units = select(vec4<u32>(0u, 0u, 0u, MEM_ONE), units, stored);
        let fixed = (((MEM_UNORM8 | MEM_UNORM16) >> format) & 1u) != 0u;
        texel = select(texel, units, vec4<bool>(fixed));
    }
    return texel;
}

// `old`, with the bits in `mask` taken from `fresh`.
fn mem_merge(old: u32, fresh: u32, mask: u32) -> u32 {
    return (old & ~mask) | (fresh & mask);
}

// Encodes channels (float bits) as an element. Bit n of `mask` says whether channel n is written.
// Channels that the format lacks are dropped.
fn mem_encode(format: u32, channels: vec4<u32>, mask: u32) -> MemElement {
    let all = vec4<u32>(0u) - ((vec4<u32>(mask) >> vec4<u32>(0u, 1u, 2u, 3u)) & vec4<u32>(1u));
    let count = mem_channels(format);
    var element: MemElement;
    element.words = channels;
    element.masks = select(vec4<u32>(0u), all, vec4<u32>(0u, 1u, 2u, 3u) < vec4<u32>(count));
    if INTEGERS {
        let kept = element.masks;
        if ((MEM_UNORM16 >> format) & 1u) != 0u {
            let low = x1k_unorm16(channels.x) | (x1k_unorm16(channels.y) << 16u);
            let high = x1k_unorm16(channels.z) | (x1k_unorm16(channels.w) << 16u);
            element.words = vec4<u32>(low, high, 0u, 0u);
            element.masks = vec4<u32>(
                (kept.x & 0xffffu) | (kept.y & 0xffff0000u),
                (kept.z & 0xffffu) | (kept.w & 0xffff0000u),
                0u,
                0u,
            );
        } else if ((MEM_UNORM8 >> format) & 1u) != 0u {
            let first = format == MEM_UINT8_4;
            let c = select(channels, channels.zyxw, vec4<bool>(first));
            let k = select(kept, kept.zyxw, vec4<bool>(first));
            element.words = vec4<u32>(
                x1k_unorm8(c.x) | (x1k_unorm8(c.y) << 8u) | (x1k_unorm8(c.z) << 16u) | (x1k_unorm8(c.w) << 24u),
                0u,
                0u,
                0u,
            );
            element.masks = vec4<u32>(
                (k.x & 0xffu) | (k.y & 0xff00u) | (k.z & 0xff0000u) | (k.w & 0xff000000u),
                0u,
                0u,
                0u,
            );
        }
    }
    return element;
}

// Channels that a format stores: 1, 2 or 4.
fn mem_channels(format: u32) -> u32 {
    return (MEM_CHANNELS >> (format * 3u)) & 7u;
}

// Whether a mask leaves anything to write. If not, there is no access and no fault.
fn mem_writes(format: u32, mask: u32) -> bool {
    return (mask & ((1u << mem_channels(format)) - 1u)) != 0u;
}

// Writes an element whose first word is g. The element must have at least a word: several points may
// share a word of smaller ones.
fn mem_store_element(g: u32, element: MemElement) {
    if element.masks.x != 0u {
        var value = element.words.x;
        if INTEGERS {
            value = mem_merge(mem_load_word(g), value, element.masks.x);
        }
        mem_store_word(g, value);
    }
    if WRITE_WORDS > 1u {
        if element.masks.y != 0u {
            var second = element.words.y;
            if INTEGERS {
                second = mem_merge(mem_load_word(g + 1u), second, element.masks.y);
            }
            mem_store_word(g + 1u, second);
        }
    }
    if WRITE_WORDS > 2u {
        if element.masks.z != 0u {
            mem_store_word(g + 2u, element.words.z);
        }
        if element.masks.w != 0u {
            mem_store_word(g + 3u, element.words.w);
        }
    }
}

// Element (x, y), neither clamped nor wrapped. Bytes outside the ranges read as zero.
fn mem_load(surface: Surface, x: u32, y: u32, ranges: MemRanges) -> MemFetch {
    let bytes = 1u << mem_bytes_log2(surface.bits);
    let address = mem_address(surface, x, y);
    let outside = !mem_contains(ranges, address, bytes);
    // Outside the ranges, the first words are read in place of those that do not exist.
    let g = select((address >> 2u) - surface.delta, 0u, outside);
    var words = mem_load_words(g, bytes >> 2u);
    if INTEGERS {
        // Only elements smaller than a word begin in the middle of one.
        words.x = words.x >> ((address & 3u) << 3u);
    }
    words = select(words, vec4<u32>(0u), vec4<bool>(outside));
    return MemFetch(mem_decode(surface.bits & MEM_FORMAT, words), outside, address);
}

// The coordinate that a fetch at v + step reads, in a surface of `size` elements; `step` is 0 or 1.
fn mem_wrap_coordinate(bits: u32, v: i32, step: u32, size: u32) -> u32 {
    let n = max(size, 1u);
    let moved = bitcast<u32>(v) + step;
    let negative = (v < 0) & ((moved >> 31u) != 0u);
    let clamped = select(min(moved, n - 1u), 0u, negative);
    if REPEAT {
        // -1 - v counts from 0 upwards to the left.
        let rest = select(moved, ~moved, negative) % n;
        let wrapped = select(rest, n - 1u - rest, negative);
        return select(clamped, wrapped, (bits & MEM_REPEAT) != 0u);
    }
    return clamped;
}

// A program's fetch at texel (x, y), clamped or wrapped. In a 2x2 tiling it returns the first channels
// of (x+1, y), (x, y+1), (x+1, y+1), (x, y), each clamped or wrapped separately [G 6]. It reports at
// most one fault, the first channel's.
fn mem_fetch(surface: Surface, x: i32, y: i32, ranges: MemRanges) -> MemFetch {
    let x0 = mem_wrap_coordinate(surface.bits, x, 0u, surface.width);
    let y0 = mem_wrap_coordinate(surface.bits, y, 0u, surface.height);
    var result = mem_load(surface, x0, y0, ranges);
    if SUPERFINE {
        if (surface.bits & MEM_INP_2X2) != 0u {
            let x1 = mem_wrap_coordinate(surface.bits, x, 1u, surface.width);
            let y1 = mem_wrap_coordinate(surface.bits, y, 1u, surface.height);
            let right = mem_load(surface, x1, y0, ranges);
            let below = mem_load(surface, x0, y1, ranges);
            let across = mem_load(surface, x1, y1, ranges);
            var address = result.address;
            address = select(address, across.address, across.outside);
            address = select(address, below.address, below.outside);
            address = select(address, right.address, right.outside);
            result = MemFetch(
                vec4<u32>(right.texel.x, below.texel.x, across.texel.x, result.texel.x),
                right.outside | below.outside | across.outside | result.outside,
                address,
            );
        }
    }
    return result;
}
