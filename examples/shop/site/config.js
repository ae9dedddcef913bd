export const API_URL = 'http://localhost:3000'
export const MAIN_URL = 'http://localhost:3000'
