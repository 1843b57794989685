#version 300 es
// ES 3.00, 8.8: Fetches are `texture`: texture2D is gone.
precision highp float;
out vec4 color;
uniform sampler2D s;

void main() {
    color = texture2D(s, vec2(0.5)); //~ error
}
