export const MAIN = 'https://main.test'
export const API = 'https://api.main.test'
export const SHOP_ONE = 'https://shop-one.test'
export const SHOP_TWO = 'https://shop-two.test'
/** Listed nowhere: an account registers it as its own. */
export const CUSTOMER = 'https://customer.test'
/** Listed nowhere either: the page that docs/integrate shows in React. */
export const SHOP_THREE = 'https://shop-three.test'
/** Nobody's friend. */
export const EVIL = 'https://evil.test'
/** Not ours, but of the same site as the API, so that browsers send the cookie from there. */
export const SIBLING = 'https://blog.main.test'
/** The operator console, where a test turns it on; of the same site as the main site. */
export const OPERATORS = 'https://operators.main.test'

export const ORIGINS = [MAIN, API, SHOP_ONE, SHOP_TWO, CUSTOMER, SHOP_THREE, EVIL, SIBLING, OPERATORS]
