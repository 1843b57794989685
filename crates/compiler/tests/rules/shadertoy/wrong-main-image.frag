// Shadertoy: mainImage has an out vec4 and a vec2.
void mainImage(out vec3 o, in vec2 p) { //~ error: `mainImage` has other parameters than Shadertoy's
    o = vec3(1.0);
}
