// GLSL 3.30, 3.3: An extension that is not there and is asked for in another way is a warning.
// value: 1 0 0 1
#version 330
out vec4 color;
#extension GL_FOO_not_there : enable //~ warning: the extension `GL_FOO_not_there` is not supported
#extension GL_FOO_neither : warn //~ warning: the extension `GL_FOO_neither` is not supported
#extension GL_FOO_nor : disable //~ warning: the extension `GL_FOO_nor` is not supported

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
