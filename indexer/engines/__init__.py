"""Where documents live and are searched: one small interface (`base`) and the engines that fill it."""
