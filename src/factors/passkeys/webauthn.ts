type Library = Pick<
  typeof import('@simplewebauthn/server'),
  'generateRegistrationOptions' | 'verifyRegistrationResponse' | 'verifyAuthenticationResponse'
> &
  Pick<typeof import('@simplewebauthn/server/helpers'), 'decodeAttestationObject'>

/**
 * The library, loaded with the first passkey that is added or used: it brings a parser of certificates, which
 * would add 0.1 s to each start and 25 MB to the process.
 */
export async function webauthn(): Promise<Library> {
  const { generateRegistrationOptions, verifyRegistrationResponse, verifyAuthenticationResponse } =
    await import('@simplewebauthn/server')
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  return {
    generateRegistrationOptions,
    verifyRegistrationResponse,
    verifyAuthenticationResponse,
    decodeAttestationObject,
  }
}
