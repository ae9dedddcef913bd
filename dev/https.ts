import { webcrypto, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { givenTexts, SettingsError } from '../src/platform/config/read-settings.js'

/** Apple's systems refuse certificates that are valid for more than 825 days (https://support.apple.com/103769). */
const VALID_DAYS = 800
const DAY_MS = 86_400_000

/**
 * What HTTPS=on means: the settings of https at localhost, with a certificate of its own that is made once in the
 * data folder. Settings that the environment has already win. Empty without HTTPS; throws a {@link SettingsError} for
 * any other value than on and off.
 */
export async function httpsSettings(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Record<string, string>> {
  const wanted = environment.HTTPS?.trim() || 'off'
  if (wanted === 'off') return {}
  if (wanted !== 'on') throw new SettingsError([`HTTPS is "${wanted}": it must be on or off`])
  const texts: Readonly<Record<string, string | undefined>> = givenTexts(environment).texts
  const origin = `https://localhost:${texts.PORT?.trim() || 3000}`
  const { TLS_CERT_FILE: certificate, TLS_KEY_FILE: key, PUBLIC_URL: url, MAIN_ORIGIN: main } = environment
  return {
    ...(certificate || key ? {} : await certificateIn(texts.DATA_DIR?.trim() || 'data')),
    ...(url ? {} : { PUBLIC_URL: origin }),
    ...(main ? {} : { MAIN_ORIGIN: origin }),
  }
}

/** How this machine's browsers learn to accept the certificate. */
export function trustCommand(certFile: string, platform: NodeJS.Platform = process.platform): string {
  const file = JSON.stringify(resolve(certFile))
  if (platform === 'darwin')
    return `security add-trusted-cert -k ~/Library/Keychains/login.keychain-db ${file}`
  if (platform === 'win32') return `certutil -user -addstore Root ${file}`
  return `certutil -d sql:$HOME/.pki/nssdb -A -t P,, -n mainstay -i ${file} (Chromium)`
}

/** Kept across starts, because somebody has told a browser to trust it. */
async function certificateIn(folder: string): Promise<{ TLS_CERT_FILE: string; TLS_KEY_FILE: string }> {
  const files = {
    TLS_CERT_FILE: join(folder, 'localhost-cert.pem'),
    TLS_KEY_FILE: join(folder, 'localhost-key.pem'),
  }
  if (!isUsable(files.TLS_CERT_FILE, files.TLS_KEY_FILE)) {
    const { certificate, key } = await makeCertificate()
    mkdirSync(folder, { recursive: true })
    writeFileSync(files.TLS_KEY_FILE, key, { mode: 0o600 })
    writeFileSync(files.TLS_CERT_FILE, certificate)
  }
  return files
}

function isUsable(certFile: string, keyFile: string): boolean {
  if (!existsSync(certFile) || !existsSync(keyFile)) return false
  return Date.parse(new X509Certificate(readFileSync(certFile)).validTo) > Date.now() + DAY_MS
}

async function makeCertificate(): Promise<{ certificate: string; key: string }> {
  // Loaded here, because hardly any start needs it.
  const x509 = await import('@peculiar/x509')
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const now = Date.now()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost, O=Mainstay development',
    // A clock that is a little behind must not refuse it.
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + VALID_DAYS * DAY_MS),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
      ]),
    ],
  })
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey))
  return {
    certificate: `${certificate.toString('pem')}\n`,
    key: x509.PemConverter.encode(key, 'PRIVATE KEY'),
  }
}
