#version 300 es
// ES 3.00, 4.1: f32 and the like are types of WGSL.
precision highp float;
out vec4 color;
void main() {
    f32 a = 1.0; //~ error
    i32 b = 1; //~ error
    vec3f c = vec3f(1.0); //~ error
}
