// GLSL 1.20, 7.5: State is not written, and its names are not those of other things.
#version 120
uniform mat3 gl_ModelViewMatrix; //~ error: `gl_ModelViewMatrix` is of type `mat4`, not `mat3`
varying vec4 gl_Fog; //~ error: `gl_Fog` has another qualifier
void main() {
    gl_NormalScale = 1.0; //~ error: `gl_NormalScale` is a uniform, and cannot be written to
    gl_LightSource[0].ambient = vec4(1.0); //~ error: `gl_LightSource` is a uniform, and cannot be written to
    gl_FragColor = gl_LightSource[8].ambient; //~ error: the index 8 is out of range: `gl_LightSourceParameters[8]` has 8 elements
}
