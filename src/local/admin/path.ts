/** Where the commands of local mode find their routes. */
export const ADMIN_PATH = '/local/objects';
