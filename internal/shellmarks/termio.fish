# A fish that Termio starts reads this after the user's files. From version 4 on
# fish marks prompts and commands by itself.
if status is-interactive; and string match -qr '^[0-3]\.' -- $version
    function __termio_prompt --on-event fish_prompt
        printf '\e]133;A\e\\'
    end
    function __termio_preexec --on-event fish_preexec
        printf '\e]133;C\e\\'
    end
    function __termio_postexec --on-event fish_postexec
        set -l code $status
        printf '\e]133;D;%s\e\\' $code
    end
end
