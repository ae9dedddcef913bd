/** Style sheets are taken out by the build. */
declare module '*.css'
