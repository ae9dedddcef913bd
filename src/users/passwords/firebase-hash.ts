import { createCipheriv, scrypt, timingSafeEqual } from 'node:crypto'

/** Firebase's variant of scrypt, with the parameters of the user's original project. */
export interface FirebaseHash {
  /** The base-2 logarithm of N; Firebase calls it `mem_cost`. */
  readonly ln: number
  /** Firebase calls it `rounds`. */
  readonly r: number
  readonly p: number
  readonly saltSeparator: Buffer
  readonly signerKey: Buffer
  readonly salt: Buffer
  readonly hash: Buffer
}

const SHAPE =
  /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2}),ss=([A-Za-z0-9+/=]{0,64}),sk=([A-Za-z0-9+/=]{1,256})\$([A-Za-z0-9+/=]{1,128})\$([A-Za-z0-9+/=]{1,256})$/

/** AES-256 uses the first half of what scrypt derives. */
const DERIVED_BYTES = 64
const KEY_BYTES = 32
const MIN_SIGNER_KEY_BYTES = 16
/** Each password has its own key, so the counter starts at zero. */
const FIRST_COUNTER = Buffer.alloc(16)

/** As text, in the form that Supabase introduced: `$fbscrypt$v=1,n=…,r=…,p=…,ss=…,sk=…$salt$hash`. */
export function firebaseHashText({ ln, r, p, saltSeparator, signerKey, salt, hash }: FirebaseHash): string {
  const [ss, sk, ...others] = [saltSeparator, signerKey, salt, hash].map(bytes => bytes.toString('base64'))
  return `$fbscrypt$v=1,n=${ln},r=${r},p=${p},ss=${ss},sk=${sk}$${others.join('$')}`
}

/** Null for text in any other form. */
export function readFirebaseHash(text: string): FirebaseHash | null {
  const [, ln, r, p, ...encoded] = SHAPE.exec(text) ?? []
  const [saltSeparator, signerKey, salt, hash] = encoded.map(part => Buffer.from(part, 'base64'))
  if (!saltSeparator || !signerKey || !salt || !hash) return null
  const isSound = hash.length === signerKey.length && signerKey.length >= MIN_SIGNER_KEY_BYTES
  if (!isSound || salt.length === 0) return null
  return { ln: Number(ln), r: Number(r), p: Number(p), saltSeparator, signerKey, salt, hash }
}

/**
 * Whether this is the hash of the password. Encrypting the project's key with the key that scrypt derives
 * gives the hash.
 */
export function matchesFirebaseHash(
  { ln, r, p, saltSeparator, signerKey, salt, hash }: FirebaseHash,
  password: string,
  maxmem: number,
): Promise<boolean> {
  const options = { N: 2 ** ln, r, p, maxmem }
  return new Promise((resolve, reject) => {
    scrypt(password, Buffer.concat([salt, saltSeparator]), DERIVED_BYTES, options, (error, derived) => {
      if (error) return reject(error)
      const cipher = createCipheriv('aes-256-ctr', derived.subarray(0, KEY_BYTES), FIRST_COUNTER)
      const encrypted = Buffer.concat([cipher.update(signerKey), cipher.final()])
      resolve(timingSafeEqual(encrypted, hash))
    })
  })
}
