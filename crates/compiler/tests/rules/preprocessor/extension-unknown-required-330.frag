// GLSL 3.30, 3.3: An extension that is required must exist.
#version 330
out vec4 color;
#extension GL_FOO_not_there : require //~ error: the extension `GL_FOO_not_there` is not supported

void main() {
    color = vec4(1.0);
}
