#version 300 es
// ES 3.00, 4.3.7: At global scope the name of a block is nothing else.
precision highp float;
uniform A { vec4 a; } first;
uniform vec4 A; //~ error: `A` is declared twice in one scope
float b;
uniform b { vec4 c; } second; //~ error: `b` is declared twice in one scope
uniform C { vec4 d; } C; //~ error: `C` is declared twice in one scope
uniform D { vec4 e; };
float D() { return 1.0; } //~ error: `D` is declared twice in one scope
uniform E { vec4 f; };
struct E { float g; }; //~ error: `E` is declared twice in one scope

void main() {
    first.a; //~ warning: this statement does nothing
}
