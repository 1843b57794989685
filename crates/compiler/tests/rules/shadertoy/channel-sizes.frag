// Shadertoy: iChannelResolution has the sizes of the pictures, iChannelTime their times.
// value: 64 32 1 5
// set iChannelResolution[1] = 64 32 1
// set iChannelTime[2] = 5
void mainImage(out vec4 o, in vec2 p) {
    o = vec4(iChannelResolution[1], iChannelTime[2]);
}
