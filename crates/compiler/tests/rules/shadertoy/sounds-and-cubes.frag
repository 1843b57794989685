// Shadertoy: Other entries of Shadertoy make no picture.
// error on line 1: the shader has no function `main`
vec2 mainSound(int n, float time) {
    return vec2(sin(time));
}
