// GLSL 3.30, 4.3.9: An output of a fragment shader has no interpolation.
#version 330
out vec4 color;
flat out vec4 a; //~ error: `flat` is not allowed on an output of a fragment shader
smooth out vec4 b; //~ error: `smooth` is not allowed on an output of a fragment shader
centroid out vec4 c; //~ error: `centroid` is not allowed on an output of a fragment shader

void main() {
    color = vec4(1.0);
}
