# What `hosts` makes: first processes with namespaces of their own, the networks between them, keys for ssh. Sourced
# by it; the cluster's folder is in $cluster.

# ---- a host's first process ------------------------------------------------------------------------------------

# Runs as the first process in the new namespaces, in the cluster's folder: WHO. It ends when its input does, and that
# when the owner does.
first() {
    local who=$1 pid rest started
    # /proc is still that of this machine, so this is the number by which others know us.
    read -r pid rest < /proc/self/stat
    mount -t proc proc /proc
    echo "$who" > /proc/sys/kernel/hostname
    ip link set lo up
    [[ $who == switch ]] || furnish "$who"
    start_of 1
    echo "$pid $started" > "$who/first.new"
    mv "$who/first.new" "$who/first"
    echo > "$who/ready"
    # While bash waits, it reaps what has lost its parent.
    cat > /dev/null
    exit 0
}

# What the host sees in place of this machine's files.
furnish() {
    local who=$1 shared home
    mkdir -p "$who"/{tmp,run/sshd,cgroup,shm}
    chmod 1777 "$who/tmp"
    # /sys shows the network of who mounts it.
    [[ ! -d /sys/fs/cgroup ]] || mount --rbind /sys/fs/cgroup "$who/cgroup"
    mount -t sysfs sysfs /sys
    mount --rbind "$who/cgroup" /sys/fs/cgroup
    mount --bind "$who/etc-hosts" /etc/hosts
    mount --bind ssh /etc/ssh
    # Nobody else is asked for names, and the user's own settings play no part.
    [[ ! -f /etc/resolv.conf ]] || mount --bind /dev/null /etc/resolv.conf
    # ssh and sshd ask the list of users where their home is, others HOME.
    for home in ~root ~; do
        [[ ! -d $home/.ssh ]] || mount -t tmpfs none "$home/.ssh"
        [[ ! -f $home/.bashrc ]] || mount --bind /dev/null "$home/.bashrc"
    done
    mount -t tmpfs -o mode=1777 none "$who/shm"
    while read -r shared; do
        case $shared in
            /tmp/* | /run/*) share "$shared" "$who$shared" ;;
            /dev/shm/*) share "$shared" "$who/shm${shared#/dev/shm}" ;;
        esac
    done < shares
    mount --rbind "$who/shm" /dev/shm
    mount --rbind "$who/run" /run
    mount --rbind "$who/tmp" /tmp
}

share() {
    mkdir -p "$2"
    mount --rbind "$1" "$2"
}

# start_first WHO: returns when WHO's first process has made everything its own.
start_first() {
    local who=$1 pid ready
    mkdir -p "$cluster/$who"
    mkfifo "$cluster/$who/ready"
    exec {ready}<> "$cluster/$who/ready"
    (
        cd "$cluster"
        exec {ready}<&-
        # Opened here, beside the owner's end: without one, a host whose owner was killed would wait for another.
        if [[ -n $lifeline ]]; then
            exec < lifeline {lifeline}>&-
        else
            exec <> lifeline
        fi
        exec setsid unshare --net --uts --ipc --mount --pid --kill-child --fork -- \
            bash "$self" first "$who" > "$who/log" 2>&1
    ) &
    # A line that comes as the time is up may be lost: the file decides.
    while ! lives "$cluster/$who/first"; do
        read -rt 0.2 -u "$ready" || kill -0 $! 2> /dev/null ||
            fail "$who could not be started: $(cat "$cluster/$who/log")"
    done
    exec {ready}<&-
}

# ---- networks ---------------------------------------------------------------------------------------------------

make_switch() {
    mkdir "$cluster/switch"
    start_first switch
    local bridge networks
    find_networks
    for bridge in "${networks[@]}"; do
        echo "link add $bridge type bridge forward_delay 0 mcast_snooping 0"
        echo "link set $bridge up"
    done | in_network switch ip -batch -
}

# Sets `networks`.
find_networks() {
    networks=(eth0)
    [[ ! -e $cluster/second ]] || networks+=(eth1)
}

# plug HOST: a cable from each of its interfaces to the bridge of that name. Lines for ip, as many at once as can be.
plug() {
    local who=$1 number hosts pid networks interface net
    number_of "$who"
    first_process "$who"
    find_networks
    # In front of the others, and with an address for each host, as if it led from one to the other.
    decoy br-9 "172.18.0.$number/24" "fd18::$number/64" | in_network "$who" ip -batch -
    # The kernel takes its time to clear away what a dead host had.
    printf "link delete $who-%s\n" "${networks[@]}" | in_network switch ip -force -batch - 2> /dev/null || true
    net=77
    for interface in "${networks[@]}"; do
        # The same after booting: its neighbours remember it.
        echo "link add $who-$interface type veth peer name $interface address 02:00:00:00:$net:0$number netns $pid"
        echo "link set $who-$interface master $interface up"
        net=$((net + 1))
    done | in_network switch ip -batch -
    net=77
    {
        for interface in "${networks[@]}"; do
            echo "link set $interface up"
            [[ -e $cluster/ipv6-only ]] || echo "address add 10.$net.0.$number/24 dev $interface"
            echo "address add fd$net::$number/64 dev $interface nodad"
            net=$((net + 1))
        done
        decoy docker0 172.17.0.1/16 fd17::1/64
    } | in_network "$who" ip -batch -
}

# decoy BRIDGE IPV4-ADDRESS IPV6-ADDRESS: lines for ip that make one which looks alive, and reaches nobody.
decoy() {
    local bridge=$1
    echo "link add $bridge type bridge forward_delay 0"
    echo "link add veth-$bridge type veth peer name in-$bridge"
    echo "link set veth-$bridge master $bridge up"
    echo "link set in-$bridge up"
    echo "link set $bridge up"
    echo "address add $2 dev $bridge"
    echo "address add $3 dev $bridge nodad"
}

# set_ports HOST STATE: a port of the bridge that is "disabled" drops frames, and neither end of the cable notices.
set_ports() {
    local interface networks number hosts
    number_of "$1"
    find_networks
    for interface in "${networks[@]}"; do
        in_network switch bridge link set dev "$1-$interface" state "$2"
    done
}

limit_rate() {
    local who=$1 rate=$2 interface networks number hosts
    number_of "$who"
    find_networks
    for interface in "${networks[@]}"; do
        limit_one switch "$who-$interface" "$rate"
        limit_one "$who" "$interface" "$rate"
    done
}

limit_one() {
    if [[ $3 == none ]]; then
        in_network "$1" tc qdisc del dev "$2" root 2> /dev/null || true
    else
        in_network "$1" tc qdisc replace dev "$2" root tbf rate "$3" burst 256k latency 50ms
    fi
}

# ---- ssh --------------------------------------------------------------------------------------------------------

# One key to log in with and one of the hosts', for all: what /etc/ssh is on the hosts.
make_ssh() {
    local ssh=$cluster/ssh
    mkdir "$ssh"
    ssh-keygen -q -t ed25519 -N '' -C cluster -f "$ssh/host_key"
    ssh-keygen -q -t ed25519 -N '' -C cluster -f "$ssh/user_key"
    cp "$ssh/user_key.pub" "$ssh/authorized_keys"
    echo "* $(cat "$ssh/host_key.pub")" > "$ssh/ssh_known_hosts"
    cat > "$ssh/sshd_config" <<'END'
HostKey /etc/ssh/host_key
PidFile /run/sshd.pid
AuthorizedKeysFile /etc/ssh/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 200
UseDNS no
END
    cat > "$ssh/ssh_config" <<'END'
Host *
    IdentityFile /etc/ssh/user_key
    IdentitiesOnly yes
    StrictHostKeyChecking yes
    UpdateHostKeys no
END
}
