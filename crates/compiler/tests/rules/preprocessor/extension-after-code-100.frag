// ES 1.00, 3.4: `#extension` comes before any code; where it does not, that is a warning.
// value: 1 0 0 1
#version 100
precision mediump float;
float f() { return 1.0; }
#extension all : disable //~ warning: `#extension` after other text; write it before the first declaration

void main() {
    gl_FragColor = vec4(f(), 0.0, 0.0, 1.0);
}
