import './rest.js';
