// GLSL 1.20, 7.5: The machine has no lights, no materials and no matrices of its own.
#version 120
void main() {
    vec4 a = gl_LightSource[0].ambient; //~ error: there is no variable `gl_LightSource` here
    vec4 b = gl_FrontMaterial.diffuse; //~ error: there is no variable `gl_FrontMaterial` here
    vec4 c = gl_ModelViewMatrix * vec4(1.0); //~ error: there is no variable `gl_ModelViewMatrix` here
    vec4 d = gl_Fog.color; //~ error: there is no variable `gl_Fog` here
    gl_FragColor = a + b + c + d;
}
