// Shadertoy: iTime, iTimeDelta and iFrame are numbers; iFrame is an int.
// value: 2 0.5 7 1
// set iTime = 2
// set iTimeDelta = 0.5
// set iFrame = 7
void mainImage(out vec4 o, in vec2 p) {
    int n = iFrame;
    o = vec4(iTime, iTimeDelta, float(n), 1.0);
}
