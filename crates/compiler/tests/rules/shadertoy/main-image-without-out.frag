// Shadertoy: mainImage gives the colour by its out parameter.
vec4 mainImage(vec2 p) { //~ error: `mainImage` has other parameters than Shadertoy's
    return vec4(1.0);
}
