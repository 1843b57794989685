// ES 1.00, 3.4: An extension that is not there and is asked for in another way is a warning.
// value: 1 0 0 1
#version 100
precision mediump float;
#extension GL_FOO_not_there : enable //~ warning: `#extension` after other text; write it before the first declaration
#extension GL_FOO_neither : warn //~ warning: `#extension` after other text; write it before the first declaration
#extension GL_FOO_nor : disable //~ warning: `#extension` after other text; write it before the first declaration

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
