// GLSL, 1.10: Without `#version` a built-in function of later versions is a warning.
// value: 2 -2 5 1
// set u = 1.75
uniform float u;
void main() {
    float a = round(u); //~ warning: `round` is a function of GLSL ES 3.00 and later and GLSL 1.30 and later; without `#version` this source is taken for GLSL 1.10
    float b = trunc(-2.5); //~ warning: `trunc` is a function of GLSL ES 3.00 and later and GLSL 1.30 and later; without `#version` this source is taken for GLSL 1.10
    float c = cosh(0.0) + 4.0; //~ warning: `cosh` is a function of GLSL ES 3.00 and later and GLSL 1.30 and later; without `#version` this source is taken for GLSL 1.10
    gl_FragColor = vec4(a, b, c, 1.0);
}
