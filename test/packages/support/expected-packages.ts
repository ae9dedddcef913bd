import type { CompilerOptions } from 'typescript'

/** What is true of a package for other projects. */
export interface ExpectedPackage {
  readonly source: string
  /** Packages of ours that are installed with it. */
  readonly alongside?: readonly string[]
  /** With everything that it brings. */
  readonly packages: number
  readonly maxBytes: number
  /** What is installed in a project that uses the entry points for a framework. */
  readonly peers: readonly string[]
  /** What runs without any of them. */
  readonly consumer: string
  readonly consumerOfPeers: string
  readonly compilerOptions: CompilerOptions
  /** What the example of its README prints; null where it needs a service, and integrate.test.ts has such. */
  readonly readme: RegExp | null
}

/** What a program on Node has in its tsconfig.json. */
export const BACKEND = { lib: ['lib.es2023.d.ts'], types: ['node'] }

/** By name. */
export const EXPECTED_PACKAGES: Readonly<Record<string, ExpectedPackage>> = {
  '@mainstay-auth/client': {
    source: 'packages/client',
    packages: 1,
    maxBytes: 243_000,
    peers: [],
    consumer: `import { type Caller, type Client, mainClient } from '@mainstay-auth/client'
      import { GERMAN, type LoginWords } from '@mainstay-auth/client/login'
      import type { MainstayLogin } from '@mainstay-auth/client/mainstay-login.js'
      import { handOff, type HandOffResult } from '@mainstay-auth/client/handoff'
      import { type AuditEntry, typedApi } from '@mainstay-auth/client/api'
      import { repeatAfterProof } from '@mainstay-auth/client/reauthentication'
      import { createPasskey, loginWithPasskey } from '@mainstay-auth/client/passkeys'
      import { itemStorage, satelliteClient } from '@mainstay-auth/client/mainstay.js'
      const client = mainClient({ baseUrl: 'https://auth.example.com', backends: [] })
      satelliteClient({ baseUrl: 'https://auth.example.com', storage: itemStorage(() => localStorage) })
      export const caller: Caller | null = client.state.caller
      const { completeHandOff } = handOff(client)
      handOff(client, { mainUrl: 'https://www.example.com', returnTo: 'callback' })
      export const words: LoginWords = { ...GERMAN, title: 'Anmelden' }
      export const ofPage = (element: MainstayLogin): Client => element.client
      export const result: Promise<HandOffResult | null> = completeHandOff()
      export const next: Promise<(Caller | null | object)[]> =
        Promise.all([loginWithPasskey(client, { conditional: true }), createPasskey({})])
      export const team = typedApi({ ...client, fetch: repeatAfterProof(client, async () => {}) }).get('/api/team')
      const api = typedApi(client)
      export const sids = async (): Promise<string[]> =>
        (await api.get('/api/sessions')).sites.flatMap(({ sessions }) => sessions.map(({ sid }) => sid))
      export const entries = async (outcome: AuditEntry['outcome']): Promise<readonly AuditEntry[]> =>
        (await api.get('/api/audit', { query: { outcome, limit: 5 } })).entries
      export const none: Promise<null> = api.delete('/api/sessions/{sid}', { path: { sid: 'any' } })
      export const lines: Promise<Response> = api.get('/api/audit/export')
      // @ts-expect-error: there is no such path.
      api.get('/api/nothing')
      // @ts-expect-error: it has another method.
      api.get('/api/login')
      // @ts-expect-error: the path has to be filled.
      api.delete('/api/sessions/{sid}')
      // @ts-expect-error: the body lacks the password.
      api.post('/api/login', { body: { email: 'any', source: 'main' } })
      // @ts-expect-error: there is no such source.
      api.post('/api/login', { body: { email: 'any', password: 'any', source: 'app' } })
      // @ts-expect-error: it takes no body.
      api.get('/api/sessions', { body: {} })
      // @ts-expect-error: a satellite has to say where it keeps its session.
      satelliteClient({ baseUrl: 'https://auth.example.com' })`,
    consumerOfPeers: '',
    compilerOptions: { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] },
    readme: null,
  },
  '@mainstay-auth/react': {
    source: 'packages/react',
    alongside: ['@mainstay-auth/client'],
    // With React.
    packages: 3,
    maxBytes: 60_000,
    peers: ['@types/react', 'csstype'],
    consumer: 'export {}',
    consumerOfPeers: `import { mainClient, type State } from '@mainstay-auth/client'
      import { LoginButton, LoginForm, MainstayProvider, Permitted, SignedIn, SignedOut, SignIn, UserButton, useSession, useUser } from '@mainstay-auth/react'
      const client = mainClient({ baseUrl: 'https://auth.example.com' })
      export const status = (): State['status'] => useSession(client).status
      export const email = (): string | null => useUser().user?.email ?? null
      export const parts = [MainstayProvider({ client }), SignedIn({}), SignedOut({}), UserButton({}), LoginForm({}), SignIn({}), LoginButton({})]
      Permitted({ permission: 'payments' })
      // @ts-expect-error: there is no such permission.
      Permitted({ permission: 'refunds' })`,
    compilerOptions: { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'], types: [] },
    readme: null,
  },
  '@mainstay-auth/verify': {
    source: 'packages/verify',
    packages: 2,
    maxBytes: 60_000,
    peers: ['@nestjs/common', 'fastify'],
    consumer: `import { type Caller, accessTokenVerifier } from '@mainstay-auth/verify'
      import { expressGuard } from '@mainstay-auth/verify/express'
      import { ALGORITHM, readClaims } from '@mainstay-auth/verify/token-rules'
      const verifier = accessTokenVerifier({ issuer: 'https://auth.example.com' })
      export const caller: Promise<Caller> = verifier.verify('a token', 'dataEntry')
      export const rules = [ALGORITHM, readClaims, expressGuard(verifier, 'payments')]
      // @ts-expect-error: there is no such permission.
      verifier.verify('a token', 'refunds')`,
    consumerOfPeers: `import { accessTokenVerifier } from '@mainstay-auth/verify'
      import { fastifyGuard } from '@mainstay-auth/verify/fastify'
      import { NestGuard } from '@mainstay-auth/verify/nest'
      const verifier = accessTokenVerifier({ issuer: 'https://auth.example.com' })
      export const guards = [fastifyGuard(verifier), new NestGuard(verifier, 'dataEntry')]`,
    compilerOptions: BACKEND,
    readme: /^401 \{/,
  },
  '@mainstay-auth/testing': {
    source: 'packages/testing',
    alongside: ['@mainstay-auth/verify'],
    packages: 3,
    maxBytes: 30_000,
    peers: [],
    consumer: `import { startTestMainstay, type TestMainstay } from '@mainstay-auth/testing'
      export const start = (): Promise<TestMainstay> => startTestMainstay({ issuer: 'https://auth.example.com' })
      export const token = async (): Promise<string> =>
        (await start()).token({ source: 'satellite', permissions: ['viewReports'], expiresInSeconds: 60 })
      // @ts-expect-error: there is no such permission.
      export const wrong = async () => (await start()).token({ permissions: ['refunds'] })`,
    consumerOfPeers: '',
    compilerOptions: BACKEND,
    readme: /^satellite false\nexpired 401\n/,
  },
  '@mainstay-auth/payment-sandbox': {
    source: 'packages/payment-sandbox',
    packages: 4,
    maxBytes: 400_000,
    peers: [],
    consumer: `import { PaymentSandbox, type PaymentSandboxOptions, type Subscription } from '@mainstay-auth/payment-sandbox'
      export async function subscriptions(options: PaymentSandboxOptions): Promise<Subscription[]> {
        const sandbox = await PaymentSandbox.start(options)
        return sandbox.subscriptions()
      }`,
    consumerOfPeers: '',
    // Its types are those of Stripe's package, which takes long to check.
    compilerOptions: { ...BACKEND, skipLibCheck: true },
    readme: /^Pay here: http:/,
  },
}
