'use client'
import type { Caller } from '@mainstay-auth/client'
import {
  type LoginWords,
  type Site,
  sentenceFor,
  siteOf,
  withEnglish,
  withSite,
} from '@mainstay-auth/client/login'
import { type CSSProperties, type ReactNode, useEffect, useId, useState } from 'react'
import { LoginSteps } from './login-form.js'
import { useClient, useHandOffReturn } from './provider.js'

export interface SignInProps {
  /** Called once a user is logged in by this card. `<SignedIn>` and the hooks do not need it: they update by themselves. */
  readonly onLogin?: (caller: Caller) => void
  /** Called with every refusal of a password or code, and with the e-mail address that was typed; null when none was. */
  readonly onRefusal?: (error: unknown, email: string | null) => void
  /** In place of "Log in to …". */
  readonly heading?: ReactNode
  /** Of the heading: 1 where it is that of the page. */
  readonly level?: 1 | 2 | 3
  /** Where people without their password go, by default `/forgot-password` of the main site; null for no link. */
  readonly forgotUrl?: string | null
  /** Where people without an account go, by default `/signup` of the main site while it is open; null for no link. */
  readonly signUpUrl?: string | null
  /** Where a login through the main site comes back to, by default this page. */
  readonly path?: string
  /** The initial e-mail address. */
  readonly defaultEmail?: string
  /** Texts that replace the built-in ones; `GERMAN` of `@mainstay-auth/client/login` has all of them. */
  readonly words?: Partial<LoginWords>
  readonly className?: string
  /** Below everything, in the first step. */
  readonly children?: ReactNode
}

/**
 * A login as a finished card: the name and logo of the site as the service knows them, on a satellite the way through the main
 * site first, then a password, a passkey on the main site where the browser has them, and the second step. Import
 * `@mainstay-auth/react/styles.css` for its look.
 */
export function SignIn({
  heading,
  level = 2,
  forgotUrl,
  signUpUrl,
  path,
  words: own,
  className = '',
  children,
  ...login
}: SignInProps): ReactNode {
  const words = withEnglish(own)
  const client = useClient()
  const { site, hasFailed } = useSite()
  const [step, setStep] = useState<'first' | 'second'>('first')
  const id = useId()
  const Heading = `h${level}` as const
  const title = site ? withSite(words.titleOf, site.name) : words.title
  const isMain = client.source === 'main'
  // Where the service does not say, it offers both: it refuses what it does not take.
  const mode = isMain ? 'password' : (site?.loginMode ?? 'both')
  const forgot = forgotUrl === undefined ? site && `${site.main.url}/forgot-password` : forgotUrl
  const signUp = signUpUrl === undefined ? (site?.isSignUpOpen ? `${site.main.url}/signup` : null) : signUpUrl
  return (
    <section
      className={`mainstay-login mainstay-card ${className}`.trim()}
      style={site ? coloursOf(site) : undefined}
      aria-labelledby={id}
      aria-busy={!site && !hasFailed}
    >
      <header className="mainstay-head">
        <Logo url={site?.logoUrl ?? null} />
        <Heading id={id}>{step === 'second' ? words.secondStep : (heading ?? title)}</Heading>
      </header>
      {/* A form that changes under somebody's hands is worse than one that comes a moment later. */}
      {(site || hasFailed) && (
        <LoginSteps
          {...login}
          words={words}
          onStep={setStep}
          hasPassword={mode !== 'handoff'}
          passkeys={isMain}
          above={email =>
            mode !== 'password' && (
              <>
                <LoginButton path={path} loginHint={email ?? login.defaultEmail} words={own} />
                {mode === 'both' && <p className="mainstay-or">{words.orPassword}</p>}
              </>
            )
          }
          forgot={
            forgot && (
              <a className="mainstay-forgot" href={forgot}>
                {words.forgot}
              </a>
            )
          }
          below={
            <>
              {client.isTemporary && <p className="mainstay-hint">{words.storageTemporary}</p>}
              {signUp && (
                <a className="mainstay-sign-up" href={signUp}>
                  {words.signUp}
                </a>
              )}
              {children}
            </>
          }
        />
      )}
    </section>
  )
}

/** Hidden where it does not load, as when the page's policy does not allow it. */
function Logo({ url }: { readonly url: string | null }): ReactNode {
  const [isMissing, setIsMissing] = useState(false)
  if (!url || isMissing) return null
  return <img className="mainstay-logo" src={url} alt="" onError={() => setIsMissing(true)} />
}

export interface LoginButtonProps {
  /** Where to come back to, as path, query and fragment; by default this page. */
  readonly path?: string | undefined
  /** The e-mail address to fill in on the main site. */
  readonly loginHint?: string | undefined
  readonly words?: Partial<LoginWords> | undefined
  readonly className?: string
  /** In place of "Continue with …". */
  readonly children?: ReactNode
}

/**
 * Leaves for the main site to log in there, and says why when nobody is logged in after the way back. For pages of satellites:
 * throws an Error on the main site.
 */
export function LoginButton({
  path,
  loginHint,
  words: own,
  className = '',
  children,
}: LoginButtonProps): ReactNode {
  const words = withEnglish(own)
  const { handOffReturn, returned } = useHandOffReturn()
  const { site } = useSite()
  const [problem, setProblem] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)
  const { handOff } = handOffReturn
  if (!handOff) throw new Error('<LoginButton> is for satellites: create the client with satelliteClient')
  const leave = async () => {
    setProblem(null)
    setIsBusy(true)
    handOffReturn.forget()
    try {
      await handOff.loginThroughMain({ path, loginHint })
      // A browser may show this page again as it was, after "Back".
      addEventListener('pageshow', () => setIsBusy(false), { once: true })
    } catch (error) {
      setProblem(error)
      setIsBusy(false)
    }
  }
  const failure = problem ?? (returned.status === 'failed' ? returned.error : null)
  return (
    <>
      <button
        type="button"
        className={`mainstay-primary mainstay-main ${className}`.trim()}
        aria-disabled={isBusy}
        onClick={() => !isBusy && void leave()}
      >
        {children ?? (site ? withSite(words.continueWith, site.main.name) : words.continueOnMain)}
      </button>
      <p className="mainstay-hint" role="status">
        {returned.status === 'refused' && words.handOff[returned.reason]}
      </p>
      <p className="mainstay-error" role="alert">
        {failure !== null && sentenceFor(failure, words)}
      </p>
    </>
  )
}

/** What the service says of this site, once it has; whether it could not be asked. */
function useSite(): { readonly site: Site | null; readonly hasFailed: boolean } {
  const client = useClient()
  const [site, setSite] = useState<Site | null>(null)
  const [hasFailed, setHasFailed] = useState(false)
  useEffect(() => {
    let isShown = true
    siteOf(client).then(
      told => isShown && setSite(told),
      () => isShown && setHasFailed(true),
    )
    return () => {
      isShown = false
    }
  }, [client])
  return { site, hasFailed }
}

/** The site's accent, as variables of the stylesheet. */
function coloursOf({ accent: { light, dark } }: Site): CSSProperties {
  return {
    '--mainstay-site-accent': `light-dark(${light.color}, ${dark.color})`,
    '--mainstay-site-on-accent': `light-dark(${light.ink}, ${dark.ink})`,
  } as CSSProperties
}
