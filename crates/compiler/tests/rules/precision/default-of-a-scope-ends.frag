#version 300 es
// ES 3.00, 4.5.4: A default counts until its block ends.
out highp vec4 color;

void main() {
    {
        precision mediump float;
        float a = 1.0;
    }
    float b = 1.0; //~ error: GLSL ES 3.00 has no precision for `float` in a fragment shader unless the source gives one
}
