// GLSL 3.30, 4.3.9: An input has one interpolation.
#version 330
out vec4 color;
flat smooth in float a; //~ error: `flat` and `smooth` cannot be combined
smooth smooth in float b; //~ error: `smooth` is repeated
centroid centroid in float c; //~ error: `centroid` is repeated

void main() {
    color = vec4(1.0);
}
