type Library = Pick<
  typeof import('@simplewebauthn/server'),
  'generateRegistrationOptions' | 'verifyRegistrationResponse' | 'verifyAuthenticationResponse'
> &
  Pick<typeof import('@simplewebauthn/server/helpers'), 'decodeAttestationObject'>

/**
 * The library, loaded with the first passkey that is added or used: it brings a parser of certificates, which
 * would make each start 0.1 s longer and the process 25 MB larger.
 */
export async function webauthn(): Promise<Library> {
  const [server, helpers] = await Promise.all([
    import('@simplewebauthn/server'),
    import('@simplewebauthn/server/helpers'),
  ])
  return { ...server, ...helpers }
}
