// ES 1.00, 8.7: A function takes the sampler that it names.
#version 100
precision mediump float;
uniform sampler2D s;
float f(float a) { return a; }

void main() {
    gl_FragColor = vec4(f(s)); //~ error: no function `f` takes (sampler2D)
    gl_FragColor = texture2D(1.0, vec2(0.5)); //~ error: no function `texture2D` takes (float, vec2)
}
