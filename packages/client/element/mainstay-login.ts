// <mainstay-login>: a login for pages without a framework, as one script. bundle.mjs joins it with the client.
import {
  type Caller,
  type Client,
  type FactorMethod,
  isSecondFactorRequired,
  itemStorage,
  type MainstayError,
  mainClient,
  type State,
  satelliteClient,
} from '@mainstay-auth/client'
import { type HandOff, type HandOffResult, handOff } from '@mainstay-auth/client/handoff'
import {
  ENGLISH,
  GERMAN,
  type LoginWords,
  type Site,
  sentenceFor,
  siteOf,
  withSite,
} from '@mainstay-auth/client/login'
import { loginWithPasskey, signWithPasskey, supportsPasskeys } from '@mainstay-auth/client/passkeys'

/** packages/react/styles.css and what is added to it for this element; bundle.mjs puts it here. */
declare const STYLES: string

/** What is still needed after the right password. */
interface SecondStep {
  readonly challenge: string
  readonly methods: readonly FactorMethod[]
}

/** Where the service serves this file; it then needs no attribute. */
const SERVED = /\/client\/[^/]+\/mainstay-login\.js$/
const clients = new Map<string, Client>()

/** On a server that renders pages there is no such class, and nobody to log in. */
const Element = globalThis.HTMLElement ?? (class {} as typeof HTMLElement)
/** Allowed by a policy that refuses styles in the page: the script makes it. */
let styles: CSSStyleSheet | undefined

/**
 * A card to log in with while nobody is logged in; what is in the element, and a button to log out, while somebody is.
 *
 * | attribute | meaning |
 * |---|---|
 * | `service` | the address of the service, by default where this script comes from |
 * | `storage` | `session`: each tab has a session of its own, which ends with it |
 * | `main` | on pages of the main site, with its cookie |
 * | `path` | where a login through the main site comes back to, by default this page |
 * | `heading` | in place of "Log in to …" |
 * | `lang` | its own or that of an element around it: `de` or `en` |
 *
 * `client` is the page's client, for `fetch`; a page that has made one sets it, in place of the first three. The event
 * `mainstay-change` has the client's state in `detail`.
 */
export class MainstayLogin extends Element {
  readonly #root = this.attachShadow({ mode: 'open' })
  #client: Client | null = null
  #handOff: HandOff | null = null
  #site: Site | null = null
  #isSiteAsked = false
  #isComingBack = true
  #step: SecondStep | null = null
  #email = ''
  #isBusy = false
  /** What is drawn now: drawing it again would empty fields. */
  #drawn = ''
  #unsubscribe = () => {}
  readonly #hint = make('p', { className: 'mainstay-hint', role: 'status' })
  readonly #error = make('p', { className: 'mainstay-error', role: 'alert' })

  constructor() {
    super()
    if (!styles) {
      styles = new CSSStyleSheet()
      styles.replaceSync(STYLES)
    }
    this.#root.adoptedStyleSheets = [styles]
  }

  /** The page's client; elements with the same attributes share one. Throws an Error where the service is not known. */
  get client(): Client {
    this.#client ??= clientOf(this)
    return this.#client
  }

  /** Before the element is in the page. */
  set client(client: Client) {
    this.#client = client
  }

  connectedCallback(): void {
    const { client } = this
    if (client.source === 'satellite') this.#handOff ??= handOff(client)
    this.#unsubscribe = client.onChange(state => {
      this.#draw()
      this.dispatchEvent(new CustomEvent<State>('mainstay-change', { detail: state, bubbles: true }))
    })
    this.#draw()
    void this.#comeBack()
    void this.#askForSite()
    if (client.state.status === 'unknown') client.refresh().catch(() => {})
  }

  disconnectedCallback(): void {
    this.#unsubscribe()
  }

  get #words(): LoginWords {
    const { lang } = this.closest<HTMLElement>('[lang]') ?? { lang: navigator.language }
    return /^de\b/i.test(lang) ? GERMAN : ENGLISH
  }

  /** Logs in with the answer of the main site, if the page has come back with one. */
  async #comeBack(): Promise<void> {
    let result: HandOffResult | null = null
    try {
      result = (await this.#handOff?.completeHandOff()) ?? null
    } catch (error) {
      this.#error.textContent = sentenceFor(error, this.#words)
    }
    if (result?.status === 'refused') this.#hint.textContent = this.#words.handOff[result.reason]
    this.#isComingBack = false
    this.#draw()
  }

  /** Without an answer it offers every way: the service refuses what it does not take. */
  async #askForSite(): Promise<void> {
    this.#site = await siteOf(this.client).catch(() => null)
    this.#isSiteAsked = true
    this.#draw()
  }

  #draw(): void {
    const { status, caller } = this.client.state
    const isWaiting = status === 'unknown' || (!caller && (this.#isComingBack || !this.#isSiteAsked))
    const view = isWaiting ? 'waiting' : caller ? `of ${caller.userId}` : `out ${this.#step?.challenge}`
    if (view === this.#drawn) return
    this.#drawn = view
    if (isWaiting)
      this.#show(make('p', { className: 'mainstay-login', role: 'status' }, this.#words.oneMoment))
    else if (caller) this.#drawLoggedIn()
    else this.#drawCard()
  }

  #show(...nodes: Node[]): void {
    this.#root.replaceChildren(...nodes)
  }

  #drawLoggedIn(): void {
    const { client } = this
    const who = make('span')
    const logOut = make('button', { type: 'button', onclick: () => void client.logout().catch(() => {}) })
    logOut.append(this.#words.logOut)
    this.#step = null
    this.#hint.textContent = this.#error.textContent = ''
    this.#show(make('div', { className: 'mainstay-login mainstay-here' }, who, logOut), make('slot'))
    client
      .fetch('/api/profile')
      .then(answer => (answer.ok ? answer.json() : null))
      .then(
        profile => who.append(profile?.name ?? profile?.email ?? ''),
        () => {},
      )
  }

  #drawCard(): void {
    const words = this.#words
    const site = this.#site
    const title = this.getAttribute('heading') ?? (site ? withSite(words.titleOf, site.name) : words.title)
    const heading = make('h2', { id: 'title' }, this.#step ? words.secondStep : title)
    const head = make('header', { className: 'mainstay-head' })
    if (site?.logoUrl) head.append(logoOf(site.logoUrl))
    head.append(heading)
    const card = make('section', { className: 'mainstay-login mainstay-card' }, head)
    card.setAttribute('aria-labelledby', heading.id)
    if (site) colour(card, site)
    card.append(...(this.#step ? this.#secondStep(this.#step) : this.#firstStep()), this.#error)
    this.#show(card)
    card.querySelector<HTMLElement>('[autofocus]')?.focus()
  }

  #firstStep(): Node[] {
    const words = this.#words
    const site = this.#site
    const { client } = this
    const isMain = client.source === 'main'
    const mode = isMain ? 'password' : (site?.loginMode ?? 'both')
    const nodes: Node[] = []
    const { cause } = client.state as { readonly cause?: keyof LoginWords['causes'] }
    if (cause && words.causes[cause])
      nodes.push(make('p', { className: 'mainstay-news', role: 'status' }, words.causes[cause]))
    if (mode !== 'password') {
      const name = site ? withSite(words.continueWith, site.main.name) : words.continueOnMain
      const button = this.#button('mainstay-primary mainstay-main', name, () => this.#leave())
      nodes.push(button, this.#hint)
    }
    if (mode === 'both') nodes.push(make('p', { className: 'mainstay-or' }, words.orPassword))
    if (mode !== 'handoff') nodes.push(this.#passwordForm())
    if (isMain && supportsPasskeys())
      nodes.push(
        this.#button('mainstay-secondary', words.usePasskey, () => this.#run(() => loginWithPasskey(client))),
      )
    if (client.isTemporary) nodes.push(make('p', { className: 'mainstay-hint' }, words.storageTemporary))
    if (site?.isSignUpOpen)
      nodes.push(make('a', { className: 'mainstay-sign-up', href: `${site.main.url}/signup` }, words.signUp))
    return nodes
  }

  #passwordForm(): Node {
    const words = this.#words
    const email = field(words.email, {
      name: 'email',
      type: 'email',
      autocomplete: 'username',
      value: this.#email,
    })
    const password = field(words.password, {
      name: 'password',
      type: 'password',
      autocomplete: 'current-password',
    })
    const input = password.querySelector('input') as HTMLInputElement
    const show = make('button', { type: 'button', className: 'mainstay-show' })
    const unseen = make('span', { className: 'mainstay-unseen' }, ` ${words.password}`)
    const label = () => show.replaceChildren(input.type === 'password' ? words.show : words.hide, unseen)
    show.onclick = () => {
      input.type = input.type === 'password' ? 'text' : 'password'
      label()
    }
    label()
    input.after(show)
    if (this.#site)
      password.append(
        make(
          'a',
          { className: 'mainstay-forgot', href: `${this.#site.main.url}/forgot-password` },
          words.forgot,
        ),
      )
    return this.#form([email, password], words.logIn, values => {
      this.#email = values.email ?? ''
      return this.client.login({ email: this.#email, password: values.password ?? '' })
    })
  }

  #secondStep(
    { challenge, methods }: SecondStep,
    isRecovery = !methods.includes('totp') && !methods.includes('passkey'),
  ): Node[] {
    const words = this.#words
    const { client } = this
    const hasApp = methods.includes('totp')
    const finish = (proof: { code: string } | { recoveryCode: string } | { passkey: object }) =>
      client.completeSecondFactor({ challenge, ...proof })
    const nodes: Node[] = []
    if (isRecovery || hasApp) {
      const code = field(isRecovery ? words.recoveryCode : words.code, {
        name: 'code',
        inputMode: isRecovery ? 'text' : 'numeric',
        autocomplete: 'one-time-code',
        autofocus: true,
      })
      nodes.push(
        this.#form([code], words.goOn, ({ code: text = '' }) =>
          finish(isRecovery ? { recoveryCode: text } : { code: text }),
        ),
      )
    }
    if (methods.includes('passkey') && supportsPasskeys()) {
      const sign = async () => finish({ passkey: await signWithPasskey(await client.passkeyOptions()) })
      const button = this.#button('mainstay-secondary', words.usePasskey, () => this.#run(sign))
      button.autofocus = nodes.length === 0
      nodes.push(button)
    }
    if (methods.includes('recovery') && (hasApp || !isRecovery)) {
      const other = isRecovery ? words.useCode : words.useRecoveryCode
      nodes.push(
        this.#button('mainstay-link', other, button => {
          const card = button.parentElement as HTMLElement
          const head = card.firstElementChild as HTMLElement
          card.replaceChildren(head, ...this.#secondStep({ challenge, methods }, !isRecovery), this.#error)
          card.querySelector<HTMLElement>('[autofocus]')?.focus()
        }),
      )
    }
    nodes.push(
      this.#button('mainstay-link', words.startAgain, () => {
        this.#step = null
        this.#error.textContent = ''
        this.#draw()
      }),
    )
    return nodes
  }

  #button(className: string, text: string, press: (button: HTMLButtonElement) => void): HTMLButtonElement {
    const button: HTMLButtonElement = make(
      'button',
      { type: 'button', className, onclick: () => press(button) },
      text,
    )
    return button
  }

  #form(
    fields: readonly Node[],
    submit: string,
    send: (values: Readonly<Record<string, string>>) => Promise<Caller>,
  ): HTMLFormElement {
    const form: HTMLFormElement = make('form', {
      className: 'mainstay-form',
      onsubmit: event => {
        event.preventDefault()
        const values = Object.fromEntries(new FormData(form)) as Record<string, string>
        void this.#run(() => send(values))
      },
    })
    form.append(...fields, make('button', { type: 'submit', className: 'mainstay-primary' }, submit))
    return form
  }

  /** One thing at a time: a second press of a button does nothing. */
  async #run(login: () => Promise<unknown>): Promise<void> {
    if (this.#isBusy) return
    this.#setBusy(true)
    this.#error.textContent = this.#hint.textContent = ''
    try {
      await login()
    } catch (error) {
      if (isSecondFactorRequired(error)) this.#step = error
      else {
        if ((error as MainstayError).code === 'CHALLENGE_EXPIRED') this.#step = null
        this.#error.textContent = sentenceFor(error, this.#words)
      }
      this.#draw()
    } finally {
      this.#setBusy(false)
    }
  }

  #leave(): Promise<void> {
    return this.#run(async () => {
      const path = this.getAttribute('path') ?? undefined
      const typed = this.#root.querySelector<HTMLInputElement>('[name=email]')?.value
      await this.#handOff?.loginThroughMain({ path, loginHint: typed || undefined })
    })
  }

  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy
    this.#root.firstElementChild?.setAttribute('aria-busy', String(isBusy))
  }
}

function clientOf(element: HTMLElement): Client {
  const here = import.meta.url
  const service = element.getAttribute('service') ?? (SERVED.test(here) ? here.replace(SERVED, '') : null)
  if (service === null) throw new Error('<mainstay-login> needs service="https://auth.example.com"')
  const isMain = element.hasAttribute('main')
  const isOfTab = element.getAttribute('storage') === 'session'
  const key = `${service} ${isMain} ${isOfTab}`
  const storage = itemStorage(() => (isOfTab ? sessionStorage : localStorage))
  const client =
    clients.get(key) ??
    (isMain ? mainClient({ baseUrl: service }) : satelliteClient({ baseUrl: service, storage }))
  clients.set(key, client)
  return client
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

function field(
  label: string,
  properties: Partial<HTMLInputElement> & { readonly name: string },
): HTMLElement {
  const input = make('input', { id: properties.name, required: true, ...properties })
  const inputs = make('div', { className: 'mainstay-input' }, input)
  return make('div', { className: 'mainstay-field' }, make('label', { htmlFor: input.id }, label), inputs)
}

/** Gone where it does not load, as when the page's policy does not allow it. */
function logoOf(url: string): HTMLImageElement {
  const logo: HTMLImageElement = make('img', {
    className: 'mainstay-logo',
    alt: '',
    onerror: () => logo.remove(),
  })
  logo.src = url
  return logo
}

/** The site's accent, as variables of the styles. */
function colour({ style }: HTMLElement, { accent: { light, dark } }: Site): void {
  style.setProperty('--mainstay-site-accent', `light-dark(${light.color}, ${dark.color})`)
  style.setProperty('--mainstay-site-on-accent', `light-dark(${light.ink}, ${dark.ink})`)
}

globalThis.customElements?.define('mainstay-login', MainstayLogin)
