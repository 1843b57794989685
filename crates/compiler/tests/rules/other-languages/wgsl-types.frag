#version 300 es
// ES 3.00, 4.1: f32 and the like are types of WGSL.
precision highp float;
out vec4 color;
void main() {
    f32 a = 1.0; //~ error: there is no type `f32`
    i32 b = 1; //~ error: there is no type `i32`
    vec3f c = vec3f(1.0); //~ error: there is no type `vec3f`
}
