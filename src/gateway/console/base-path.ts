/** Where the console lives: no other path of the host, and so no function, is ever sent its cookies. */
export const BASE = '/funcs';
