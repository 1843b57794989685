// A picture at three times its size; the job asks for a linear filter.
precision mediump float;
varying vec2 vUv;
uniform sampler2D image;

void main() {
    gl_FragColor = texture2D(image, 0.3 + vUv * 0.3333);
}
