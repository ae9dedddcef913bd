/** How JavaScript itself and the calls of a browser word a TypeError. */
const FAULT =
  /\bis not (an? |iterable|callable|extensible)|\b(is|of|to|from) (undefined|null)\b|Illegal |Can only |Failed to execute |does not implement |read.?only|not of type/i

/**
 * Whether the page is wrong, or what an extension has put into it. A lost network is a TypeError too, in words of the
 * browser's own and perhaps of the person's language; these are said in English by every browser.
 */
export function isFault(error: unknown): boolean {
  return error instanceof ReferenceError || (error instanceof TypeError && FAULT.test(error.message))
}
