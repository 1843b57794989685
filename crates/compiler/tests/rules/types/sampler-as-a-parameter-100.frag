// ES 1.00, 4.1.7: A sampler may be given to a function.
#version 100
precision mediump float;
uniform sampler2D s;
vec4 f(sampler2D t, vec2 p) { return texture2D(t, p); }
vec4 g(sampler2D t) { return f(t, vec2(0.5)); }

void main() {
    gl_FragColor = g(s);
}
