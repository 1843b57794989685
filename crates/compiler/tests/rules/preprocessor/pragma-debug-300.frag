#version 300 es
// ES 3.00, 3.4: `#pragma debug` and `#pragma optimize` are `(on)` or `(off)`; others mean nothing.
precision highp float;
#pragma debug(on)
#pragma optimize(off)
#pragma debug(1.23) //~ error: `#pragma debug` needs `(on)` or `(off)`
#pragma optimize //~ error: `#pragma optimize` needs `(on)` or `(off)`
#pragma unknown(1.23)

void main() {
}
