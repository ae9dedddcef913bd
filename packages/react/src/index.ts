export {
  Permitted,
  type PermittedProps,
  SignedIn,
  type SignedInProps,
  SignedOut,
  type SignedOutProps,
  usePermitted,
  type Wanted,
} from './gates.js'
export { LoginForm, type LoginFormProps } from './login-form.js'
export { ENGLISH, type LoginWords } from './login-words.js'
export { MainstayProvider, type MainstayProviderProps, useClient } from './provider.js'
export { useSession } from './use-session.js'
export { type User, type UserState, useUser } from './use-user.js'
export { UserButton, type UserButtonProps } from './user-button.js'
