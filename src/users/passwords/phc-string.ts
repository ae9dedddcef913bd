/**
 * A hash as text, in the PHC string format: `$<scheme>$<name>=<number>,…$<salt>$<hash>`, with salt and hash
 * in base64 without padding.
 */
export interface PhcString {
  readonly scheme: string
  readonly parameters: Readonly<Record<string, number>>
  readonly salt: Buffer
  readonly hash: Buffer
}

const SHAPE = /^\$([a-z0-9-]{1,32})\$([a-z]+=\d{1,9}(?:,[a-z]+=\d{1,9}){0,3})\$([^$]{1,128})\$([^$]{1,128})$/
/** Canonical: each hash has exactly one text. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048])?$/

/** Null for text in any other form. */
export function readPhcString(text: string): PhcString | null {
  const [, scheme, parameters, salt, hash] = SHAPE.exec(text) ?? []
  if (!scheme || !parameters || !salt || !hash || !BASE64.test(salt) || !BASE64.test(hash)) return null
  return {
    scheme,
    parameters: Object.fromEntries(parameters.split(',').map(pair => asEntry(pair))),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

function asEntry(pair: string): [string, number] {
  const [name, value] = pair.split('=')
  return [name as string, Number(value)]
}
