// GLSL 1.20, 7.5: The machine has no lights, no materials and no matrices of its own.
#version 120
void main() {
    vec4 a = gl_LightSource[0].ambient; //~ error
    vec4 b = gl_FrontMaterial.diffuse; //~ error
    vec4 c = gl_ModelViewMatrix * vec4(1.0); //~ error
    vec4 d = gl_Fog.color; //~ error
    gl_FragColor = a + b + c + d;
}
