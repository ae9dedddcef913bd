import { describe, expect, it, jest } from '@jest/globals'
import { hash as argon2 } from '@node-rs/argon2'
import { hash as bcrypt } from '@node-rs/bcrypt'
import { Metrics, Passwords, readImportedHash, type Settings } from '../../sources.js'
import { slow } from '../../support/tiers.js'

const PASSWORD = 'correct horse battery staple'
const DECOMPOSED = 'Zu\u0308rich fu\u0308nf'
const SALT = 'MDEyMzQ1Njc4OWFiY2RlZg'
const HASH_32 = 'VqOEAUrTaAjMD6sh91JvmGtbD+YNGnXNMbfIDxgj094'
const HASH_64 = '65k18lcTeFdukscQY3D3rRdwY5aW4wdAVnY52d5rJSdq3bBmC871USjyB75nPDYhNt2RBZGJYOqmA3AxJjx2Gg'

const FIREBASE =
  '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw=='

/** Made by other implementations: the argon2 reference program's tests, Python's hashlib, libxcrypt, Firebase. */
const VECTORS = [
  ['password', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
  ['password', '$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ'],
  [PASSWORD, '$2a$05$abcdefghijklmnopqrstuuFiPhXf1sVd3pCCRO.uVh34H/qI/ZsuS'],
  [PASSWORD, '$2b$05$abcdefghijklmnopqrstuuFiPhXf1sVd3pCCRO.uVh34H/qI/ZsuS'],
  [PASSWORD, '$2y$05$abcdefghijklmnopqrstuuFiPhXf1sVd3pCCRO.uVh34H/qI/ZsuS'],
  ['x'.repeat(80), '$2b$05$abcdefghijklmnopqrstuujf8SX2ahXLwp9w/B.Y5XdysS6yR576q'],
  [DECOMPOSED, '$2b$05$abcdefghijklmnopqrstuuyQcQ6KeLwXUuy8/qwOzuNxk349mhQ9O'],
  [PASSWORD, `$scrypt$ln=14,r=8,p=1$${SALT}$tjK03tRvEjqCcPwmgtddMkgjlXrk8U/b9rIvfeBMKCc`],
  [
    PASSWORD,
    `$scrypt$ln=10,r=8,p=2$${SALT}$KhW5KLACpfR1HRqSPdg8ODHC9nzhpv0EHEqfwm5GJX5Sa4Dy5So144+0/AGapdVGj4bLCXJ5ifGTt1nWF+7Szg`,
  ],
  [PASSWORD, `$pbkdf2-sha256$i=10000$${SALT}$${HASH_32}`],
  [PASSWORD, `$pbkdf2-sha256$i=10000,l=32$${SALT}$${HASH_32}`],
  [PASSWORD, `$pbkdf2-sha512$i=10000$${SALT}$${HASH_64}`],
  [
    PASSWORD,
    `$pbkdf2-sha1$i=20000$${SALT}$bGA8dYbWVrVXsKOE00I1ClfNGpoWz2WVav1jk/DZ/99jKDUxTJ1BCNB79LOm8ZcDpqKGASU4/1W6q1MIiuht5Q`,
  ],
  ['mytestpassword', FIREBASE],
] as const

/** The package itself: what is imported from it is a copy. */
const argon2Package = jest.requireActual<typeof import('@node-rs/argon2')>('@node-rs/argon2')

const passwords = new Passwords({ hashConcurrency: 2, hashMemoryKib: 19_456 } as Settings, new Metrics())
const isReady = passwords.onModuleInit()

async function verify(stored: string | null, password: string): Promise<boolean> {
  await isReady
  return passwords.verify(stored, password, null)
}

describe('a hash that another system made', () => {
  it.each(VECTORS)('%# of %j is verified: %s', async (password, stored) => {
    expect(await verify(stored, password)).toBe(true)
    expect(await verify(stored, `${password.slice(0, 10)}!`)).toBe(false)
    expect(await verify(stored, '')).toBe(false)
    expect(passwords.needsRehash(stored)).toBe(true)
  })

  it.each([0, 1, 2])('argon2 of kind %i with other parameters is verified', async algorithm => {
    const stored = await argon2(PASSWORD, { algorithm, memoryCost: 4_096, timeCost: 3, parallelism: 2 })
    expect(await verify(stored, PASSWORD)).toBe(true)
    expect(await verify(stored, 'wrong')).toBe(false)
    expect(passwords.needsRehash(stored)).toBe(true)
  })

  it('by bcrypt counts to its 72nd byte, as there', async () => {
    const stored = await bcrypt('x'.repeat(72), 4)
    expect(await verify(stored, `${'x'.repeat(72)} and more`)).toBe(true)
    expect(await verify(stored, 'x'.repeat(71))).toBe(false)
  })

  it('is verified in the form that was hashed there: as typed, or NFKC', async () => {
    const ofComposed = await bcrypt(DECOMPOSED.normalize('NFKC'), 4)
    expect(await verify(ofComposed, DECOMPOSED)).toBe(true)
    const ofTyped = await bcrypt(DECOMPOSED, 4)
    expect(await verify(ofTyped, DECOMPOSED)).toBe(true)
    expect(await verify(ofTyped, DECOMPOSED.normalize('NFKC'))).toBe(false)
  })

  it('with our own parameters is verified as typed, too', async () => {
    await isReady
    const options = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 }
    const stored = await argon2(DECOMPOSED, options)
    expect(passwords.needsRehash(stored)).toBe(false)
    expect(await verify(stored, DECOMPOSED)).toBe(true)
  })

  it.each(['weak', 'unreadable', null])('takes no less work than ours for being %s', async kind => {
    await isReady
    const stored = kind === 'weak' ? await bcrypt(PASSWORD, 4) : kind
    const ofOurs = jest.spyOn(argon2Package, 'verify')
    expect(await verify(stored, 'wrong')).toBe(false)
    expect(ofOurs.mock.calls).toEqual([[expect.stringContaining('$argon2id$v=19$m=19456,t=2,p=1$'), 'wrong']])
    ofOurs.mockRestore()
  })
})

describe('a hash is refused', () => {
  const argon2Hash = '$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
  const bcryptEnd = 'abcdefghijklmnopqrstuuFiPhXf1sVd3pCCRO.uVh34H/qI/ZsuS'

  slow.each([
    ['', 'not an argon2'],
    ['5f4dcc3b5aa765d61d8327deb882cf99', 'not an argon2'],
    ['plain text', 'not an argon2'],
    ['$1$salt$qJH7.N4xYta3aEG/dfqo/0', 'not an argon2'],
    ['$argon2id$', 'not a well-formed argon2'],
    ['$argon2id$v=19$m=19456,t=2,p=1', 'not a well-formed argon2'],
    ['$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$AAAA', 'not a well-formed argon2'],
    [`$argon2id$v=19$m=131073,t=1,p=1${argon2Hash}`, 'more than m=131072'],
    [`$argon2id$v=19$m=4294967295,t=1,p=1${argon2Hash}`, 'more than m=131072'],
    [`$argon2id$v=19$m=131072,t=5,p=1${argon2Hash}`, 'more than m=131072'],
    [`$argon2id$v=19$m=64,t=4294967295,p=1${argon2Hash}`, 'more than m=131072'],
    [`$argon2id$v=19$m=65536,t=1,p=17${argon2Hash}`, 'more than m=131072'],
    [`$argon2id$v=19$m=64,t=1,p=16${argon2Hash}`, 'not a well-formed argon2'],
    [`$2x$05$${bcryptEnd}`, 'not a well-formed bcrypt'],
    [`$2b$03$${bcryptEnd}`, 'not a well-formed bcrypt'],
    [`$2b$5$${bcryptEnd}`, 'not a well-formed bcrypt'],
    [`$2b$05$${bcryptEnd}x`, 'not a well-formed bcrypt'],
    [`$2b$14$${bcryptEnd}`, 'more than bcrypt cost 13'],
    [`$2b$31$${bcryptEnd}`, 'more than bcrypt cost 13'],
    [`$scrypt$ln=14,r=8$${SALT}$${HASH_32}`, 'not a well-formed scrypt'],
    [`$scrypt$ln=0,r=8,p=1$${SALT}$${HASH_32}`, 'not a well-formed scrypt'],
    [`$scrypt$ln=14,r=8,p=1$${SALT}$AAAA`, 'not a well-formed scrypt'],
    [`$scrypt$ln=14,r=8,p=1$not base64!$${HASH_32}`, 'not a well-formed scrypt'],
    [`$scrypt$ln=18,r=8,p=1$${SALT}$${HASH_32}`, 'more than 128 MiB'],
    [`$scrypt$ln=999999999,r=1,p=1$${SALT}$${HASH_32}`, 'more than 128 MiB'],
    [`$scrypt$ln=16,r=1,p=1$${SALT}$${HASH_32}`, 'too large for its r'],
    [`$scrypt$ln=17,r=8,p=2$${SALT}$${HASH_32}`, 'more than 128 MiB'],
    [`$scrypt$ln=1,r=1,p=999999999$${SALT}$${HASH_32}`, 'more than 128 MiB'],
    [`$pbkdf2-md5$i=10000$${SALT}$${HASH_32}`, 'not a well-formed PBKDF2'],
    [`$pbkdf2-sha1$i=1000001$${SALT}$${HASH_32}`, 'more than 2000000'],
    [FIREBASE.replace('n=14', 'n=0'), 'not a well-formed Firebase'],
    [FIREBASE.replace('v=1', 'v=2'), 'not a well-formed Firebase'],
    [FIREBASE.replace('zKVT', ''), 'not a well-formed Firebase'],
    [FIREBASE.replace('n=14', 'n=18'), 'more than 128 MiB'],
    [FIREBASE.replace('p=1', 'p=99'), 'more than 128 MiB'],
    [`$pbkdf2-sha256$i=0$${SALT}$${HASH_32}`, 'not a well-formed PBKDF2'],
    [`$pbkdf2-sha256$i=10000,l=64$${SALT}$${HASH_32}`, 'not a well-formed PBKDF2'],
    [`$pbkdf2-sha256$i=10000$${SALT}$${HASH_32}=`, 'not a well-formed PBKDF2'],
    [`$pbkdf2-constructor$i=10000$${SALT}$${HASH_32}`, 'not a well-formed PBKDF2'],
    [`$pbkdf2-sha256$i=2000001$${SALT}$${HASH_32}`, 'more than 2000000'],
    [`$pbkdf2-sha512$i=1000001$${SALT}$${HASH_64}`, 'more than 1000000'],
    // security L3: cheap by each number, dear by what they come to.
    [`$pbkdf2-sha256$i=1000001$${SALT}$${HASH_64}`, 'more than 2000000'],
    [`$scrypt$ln=1,r=1,p=524288$${SALT}$${HASH_32}`, 'more than 128 MiB'],
    // security L3: OpenSSL refuses its memory, which was an error at login.
    [`$scrypt$ln=1,r=524288,p=1$${SALT}$${HASH_32}`, 'more than 128 MiB'],
  ])('%# %s: %s', async (text, reason) => {
    expect(() => readImportedHash(text)).toThrow(reason)
    expect(await verify(text, PASSWORD)).toBe(false)
  })

  slow.each([
    `$argon2id$v=19$m=131072,t=4,p=1${argon2Hash}`,
    `$2b$13$${bcryptEnd}`,
    `$scrypt$ln=17,r=8,p=1$${SALT}$${HASH_32}`,
    `$pbkdf2-sha256$i=2000000$${SALT}$${HASH_32}`,
  ])('not at the limit: %s', async text => {
    expect(await readImportedHash(text).matches(PASSWORD)).toBe(false)
  })
})
