#version 300 es
// ES 3.00, 8: Functions take as many arguments as they have parameters.
precision highp float;
out vec4 color;
void main() {
    float a = sin(); //~ error: no function `sin` takes ()
    float b = sin(1.0, 2.0); //~ error: no function `sin` takes (float, float)
    float c = clamp(1.0, 2.0); //~ error: no function `clamp` takes (float, float)
    float d = max(1.0); //~ error: no function `max` takes (float)
    float e = max(1.0, 2.0, 3.0); //~ error: no function `max` takes (float, float, float)
    float f = smoothstep(0.0, 1.0); //~ error: no function `smoothstep` takes (float, float)
}
